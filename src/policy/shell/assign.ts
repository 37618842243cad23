import type { Assignment } from 'unbash';
import type { Expander } from './expand.ts';
import type { Elements } from './state.ts';
import { type Field, literal } from './types.ts';

/** Puts what an assignment says into the state. */
export function assign({ name, value, append, index }: Assignment, expander: Expander): void {
  const { state } = expander;
  const fresh: readonly Elements[] =
    value.type === 'ArrayValue' ? expander.forms(value.elements) : expander.values(value).map((field) => [field]);
  if (index !== undefined) state.assign(name, undefined);
  else if (!append) state.assign(name, fresh);
  else state.assign(name, appended(state.valuesOf(name) ?? [[]], fresh, value.type === 'ArrayValue'));
}

function appended(before: readonly Elements[], added: readonly Elements[], asElements: boolean): readonly Elements[] {
  return before.flatMap((old) =>
    added.map((more) => (asElements ? [...old, ...more] : [joinFields(old[0], more[0]), ...old.slice(1)])),
  );
}

function joinFields(a: Field = literal(''), b: Field = literal('')): Field {
  return { text: a.text + b.text, pattern: a.pattern + b.pattern, known: a.known && b.known };
}
