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

function findBraces(source: string): Braces | undefined {
  for (let at = 0; at < source.length; at = afterUnit(source, at)) {
    const braces = source[at] === '{' ? bracesAt(source, at) : undefined;
    if (braces !== undefined) return braces;
  }
  return undefined;
}

/** Undefined for braces that the shell leaves as they are: no comma, no sequence, no end. */
function bracesAt(source: string, start: number): Braces | undefined {
  const items: string[] = [];
  let from = start + 1;
  let open = 1;
  for (let at = start + 1; at < source.length; at = afterUnit(source, at)) {
    const char = source[at];
    if (char === '{') open++;
    if (char === ',' && open === 1) {
      items.push(source.slice(from, at));
      from = at + 1;
    }
    if (char !== '}' || --open > 0) continue;
    const last = source.slice(from, at);
    if (items.length > 0) return { start, end: at + 1, items: [...items, last] };
    const sequence = sequenceOf(last);
    return sequence && { start, end: at + 1, items: sequence };
  }
  return undefined;
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
