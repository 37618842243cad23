/** Where a text stops being JSON, both from 1. The words never repeat the text: it may hold a secret. */
export class JsonSyntaxError extends Error {
  override readonly name = 'JsonSyntaxError';
  readonly line: number;
  readonly column: number;

  constructor(message: string, line: number, column: number) {
    super(message);
    this.line = line;
    this.column = column;
  }
}

/** JSON as plain data, and where each value stands. */
export interface PlacedJson {
  readonly value: unknown;
  /** Line of the value at a JSON pointer, or of the nearest one around it, from 1. */
  line(pointer: string): number;
}

/** Levels of nesting. */
const MAX_DEPTH = 64;

/**
 * JSON that may have `//` comments and a comma behind the last element, and nothing else of what other dialects have.
 *
 * @throws JsonSyntaxError at the first place that does not fit
 */
export function parseLenientJson(text: string): PlacedJson {
  const reader = new Reader(text);
  const value = reader.document();
  const lineAt = (offset: number): number => text.slice(0, offset).split('\n').length;
  return {
    value,
    line: (pointer) => {
      let known = pointer;
      while (!reader.places.has(known) && known !== '') known = known.slice(0, known.lastIndexOf('/'));
      return lineAt(reader.places.get(known) ?? 0);
    },
  };
}

const NUMBER = /-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?/y;
// Control characters must be escaped.
const STRING = /"(?:[^"\\\u0000-\u001f]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*"/y;
const BLANK = /(?:[ \t\r\n]|\/\/[^\n]*)*/y;
const WORDS = { true: true, false: false, null: null } as const;

class Reader {
  readonly places = new Map<string, number>();
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  document(): unknown {
    const value = this.#value('', 0);
    if (this.#next() !== undefined) this.#fail('there is more behind the end');
    return value;
  }

  #value(pointer: string, depth: number): unknown {
    const first = this.#next();
    this.places.set(pointer, this.#at);
    if (depth > MAX_DEPTH) this.#fail('nested too deep');
    if (first === '{') return this.#members(pointer, depth);
    if (first === '[') return this.#elements(pointer, depth);
    if (first === '"') return this.#string();
    const number = this.#match(NUMBER);
    if (number !== undefined) return Number(number);
    for (const [word, value] of Object.entries(WORDS)) {
      if (!this.#text.startsWith(word, this.#at)) continue;
      this.#at += word.length;
      return value;
    }
    return this.#fail(first === undefined ? 'it ends where a value is expected' : 'a value is expected');
  }

  #members(pointer: string, depth: number): object {
    const members: [string, unknown][] = [];
    this.#list('}', () => {
      if (this.#next() !== '"') this.#fail('a key in double quotes is expected');
      const key = this.#string();
      if (this.#next() !== ':') this.#fail('":" is expected');
      this.#at++;
      members.push([key, this.#value(`${pointer}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`, depth + 1)]);
    });
    // Not by assignment, which means something else for "__proto__".
    return Object.fromEntries(members);
  }

  #elements(pointer: string, depth: number): unknown[] {
    const elements: unknown[] = [];
    this.#list(']', () => void elements.push(this.#value(`${pointer}/${elements.length}`, depth + 1)));
    return elements;
  }

  #list(end: string, element: () => void): void {
    this.#at++;
    while (this.#next() !== end) {
      element();
      const behind = this.#next();
      if (behind === ',') this.#at++;
      else if (behind !== end) this.#fail(`"," or "${end}" is expected`);
    }
    this.#at++;
  }

  #string(): string {
    const quoted = this.#match(STRING);
    if (quoted === undefined)
      return this.#fail('this text in quotes is not closed, or has a character that must be escaped');
    return JSON.parse(quoted) as string;
  }

  /** The character that comes after blanks and comments; undefined at the end. */
  #next(): string | undefined {
    this.#match(BLANK);
    if (this.#text.startsWith('/*', this.#at)) this.#fail('comments are written behind //');
    return this.#text[this.#at];
  }

  #match(pattern: RegExp): string | undefined {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0];
    if (found !== undefined) this.#at += found.length;
    return found;
  }

  #fail(message: string): never {
    const before = this.#text.slice(0, this.#at).split('\n');
    throw new JsonSyntaxError(message, before.length, (before.at(-1)?.length ?? 0) + 1);
  }
}
