/** First and last line of a member, counted from 1. */
export type Lines = [from: number, to: number];

interface Open {
  /** Undefined for the whole value and for members of an array. */
  readonly path: string | undefined;
  readonly line: number;
  readonly isObject: boolean;
}

/** How the path of a key is written as one text. */
export function keyPath(keys: readonly string[]): string {
  return JSON.stringify(keys);
}

/**
 * Where the members of JSON objects stand, up to `depth` keys below each other; of a key that is there twice the last,
 * which counts. The text has been parsed before: it is JSON.
 */
export function locateKeys(text: string, depth: number): Map<string, Lines> {
  const lines = new Map<string, Lines>();
  const open: Open[] = [];
  const keys: string[] = [];
  let line = 1;
  /** Line of the last character that is no blank. */
  let written = 1;
  /** The key whose value comes next or goes on. */
  let member: { path: string; line: number } | undefined;
  const end = () => {
    if (member !== undefined) lines.set(member.path, [member.line, written]);
    member = undefined;
  };
  for (let at = 0; at < text.length; at++) {
    const inside = open.at(-1);
    const char = text[at];
    if (char === '\n') line++;
    else if (char === ',') end();
    else if (char === '{' || char === '[') {
      open.push({ path: member?.path, line: member?.line ?? line, isObject: char === '{' });
      member = undefined;
    } else if (char === '}' || char === ']') {
      end();
      open.pop();
      if (inside?.path !== undefined) member = { path: inside.path, line: inside.line };
    } else if (char === '"') {
      const start = at;
      at = stringEnd(text, start);
      const isKey = member === undefined && inside?.isObject === true;
      if (isKey && open.length <= depth && open.every(({ isObject }) => isObject)) {
        keys.length = Math.min(keys.length, open.length - 1);
        keys.push(JSON.parse(text.slice(start, at + 1)) as string);
        member = { path: keyPath(keys), line };
      }
    }
    if (char !== undefined && char > ' ') written = line;
  }
  return lines;
}

/** Place of the quote that ends the string. */
function stringEnd(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at;
}
