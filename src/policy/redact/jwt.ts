import { BASE64, beginsAt, DOTTED, runEnd, URL_SAFE } from './chars.ts';
import { type Looker, MAX_TOKEN, nothing } from './look.ts';

/** Shortest header, payload and signature, characters. */
const MIN_PART = 10;

/** Three parts in base64url, the first two of which are JSON objects: `eyJ` is `{"`. */
export const jwt: Looker = (text, at) => {
  if (!beginsAt(text, at, DOTTED | BASE64)) return nothing(at, at);
  let end = at;
  for (let part = 0; part < 3; part++) {
    const from = part === 0 ? at : end + 1;
    end = runEnd(text, from, URL_SAFE, MAX_TOKEN + 1);
    const length = end - from;
    if (length > MAX_TOKEN) return nothing(at, end);
    if (end === text.length) {
      const whole = part === 2 && length >= MIN_PART;
      return { from: at, to: whole ? end : at, open: true, looked: end };
    }
    if (length < MIN_PART || (part === 1 && !text.startsWith('eyJ', from))) return nothing(at, end);
    if (part < 2 && text[end] !== '.') return nothing(at, end);
  }
  return { from: at, to: end, open: false, looked: end };
};
