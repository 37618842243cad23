import { secretForms } from '../../lib/secret-forms.ts';
import type { Looker } from './look.ts';
import type { OwnSecret } from './own-secrets.ts';

/** Beginning of a form that is looked for first, characters. */
const ANCHOR = 12;

export interface OwnForm {
  readonly anchor: string;
  readonly own: string;
  readonly look: Looker;
}

/** All forms of the user's secrets. Only the beginning of each is in the table of anchors, which stays small. */
export function ownForms(secrets: readonly OwnSecret[]): OwnForm[] {
  return secrets.flatMap(({ name, value }) =>
    secretForms(value).map((form) => ({ anchor: form.slice(0, ANCHOR), own: name, look: exactly(form) })),
  );
}

/** The rest of the form, which tools like base64 break into lines. */
function exactly(form: string): Looker {
  const wrapped = /^[\w+/=-]+$/.test(form);
  return (text, at, after) => {
    let place = at;
    for (let index = 0; index < form.length; index++, place++) {
      if (wrapped && index > 0) while (text[place] === '\n' || text[place] === '\r') place++;
      if (place >= text.length) return { from: at, to: at, open: true, looked: place };
      if (text[place] !== form[index]) return { from: at, to: at, open: false, looked: Math.max(place, after) };
    }
    return { from: at, to: place, open: false, looked: place };
  };
}
