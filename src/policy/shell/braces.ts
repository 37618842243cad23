import { MAX_BRACE_WORDS } from './limits.ts';

interface Braces {
  readonly start: number;
  /** After the closing brace. */
  readonly end: number;
  readonly items: readonly string[];
}

/**
 * Words that the braces of a word make, as source text: the shell does this before everything else. Undefined when they are too
 * many.
 */
export function expandBraces(source: string): readonly string[] | undefined {
  const done: string[] = [];
  const waiting = [source];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const braces = findBraces(next);
    if (braces === undefined) done.push(next);
    else {
      const [before, after] = [next.slice(0, braces.start), next.slice(braces.end)];
      waiting.push(...braces.items.map((item) => before + item + after).reverse());
    }
    if (done.length + waiting.length > MAX_BRACE_WORDS) return undefined;
  }
  return done;
}

interface Open {
  readonly start: number;
  readonly items: string[];
  /** Where the item begins that is read. */
  from: number;
}

/** The first braces that the shell expands, in one pass. It leaves those with no comma, no sequence or no end as they are. */
function findBraces(source: string): Braces | undefined {
  const open: Open[] = [];
  let first: Braces | undefined;
  for (let at = 0; at < source.length; at = afterUnit(source, at)) {
    const char = source[at];
    const inner = open.at(-1);
    if (char === '{') open.push({ start: at, items: [], from: at + 1 });
    else if (inner === undefined) continue;
    else if (char === ',') {
      inner.items.push(source.slice(inner.from, at));
      inner.from = at + 1;
    } else if (char === '}') {
      open.pop();
      const last = source.slice(inner.from, at);
      const items = inner.items.length > 0 ? [...inner.items, last] : sequenceOf(last);
      const { start } = inner;
      // Those around others end later and start before them.
      if (items !== undefined && (first === undefined || start < first.start)) first = { start, end: at + 1, items };
      if (first !== undefined && open.length === 0) return first;
    }
  }
  return first;
}

/** Next place after a quoted text, an expansion or a single character. */
function afterUnit(source: string, at: number): number {
  const char = source[at];
  if (char === '\\') return at + 2;
  if (char === "'" || char === '`') return after(source, char, at + 1);
  if (char === '"') return afterDoubleQuotes(source, at + 1);
  if (char === '$' && source[at + 1] === '{') return afterGroup(source, at + 2, '{', '}');
  if ((char === '$' || char === '<' || char === '>') && source[at + 1] === '(')
    return afterGroup(source, at + 2, '(', ')');
  return at + 1;
}

function after(source: string, end: string, from: number): number {
  const at = source.indexOf(end, from);
  return at === -1 ? source.length : at + 1;
}

function afterDoubleQuotes(source: string, from: number): number {
  let at = from;
  while (at < source.length && source[at] !== '"') at += source[at] === '\\' ? 2 : 1;
  return at + 1;
}

function afterGroup(source: string, from: number, opening: string, closing: string): number {
  let open = 1;
  let at = from;
  while (at < source.length && open > 0) {
    if (source[at] === opening) open++;
    if (source[at] === closing) open--;
    at = source[at] === '\\' ? at + 2 : at + 1;
  }
  return at;
}

/** `1..3`, `a..e`, with a step. */
function sequenceOf(text: string): readonly string[] | undefined {
  const found = /^(?:(-?\d{1,9})\.\.(-?\d{1,9})|([A-Za-z])\.\.([A-Za-z]))(?:\.\.(-?\d{1,9}))?$/.exec(text);
  if (!found) return undefined;
  const letters = found[3] !== undefined;
  const [from, to] = letters
    ? [found[3]!.charCodeAt(0), found[4]!.charCodeAt(0)]
    : [Number(found[1]), Number(found[2])];
  const step = Math.abs(Number(found[5] ?? 1)) || 1;
  const count = Math.min(Math.floor(Math.abs(to - from) / step) + 1, MAX_BRACE_WORDS + 1);
  return Array.from({ length: count }, (_, index) => {
    const value = from + Math.sign(to - from) * step * index;
    return letters ? String.fromCharCode(value) : String(value);
  });
}
