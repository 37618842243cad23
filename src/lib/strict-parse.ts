import type { Static, TObject, TSchema, TUnion } from '@sinclair/typebox';
import { Kind } from '@sinclair/typebox';
import { Errors, type ValueError } from '@sinclair/typebox/errors';
import { Check } from '@sinclair/typebox/value';
import { nearest } from './nearest.ts';

/** One thing that is wrong with a value: where, and what. */
export interface Problem {
  /** JSON pointer, `` for the value itself. */
  readonly path: string;
  readonly message: string;
}

/** Problems that are reported at once, unless the caller wants more. */
const MAX_PROBLEMS = 5;

/**
 * Checks a value from outside against a schema. Returns it typed, or what is wrong with it: unknown keys with the
 * nearest known one, words that are none of a list likewise, then everything else in TypeBox's words.
 */
export function strictParse<T extends TSchema>(
  schema: T,
  value: unknown,
  maxProblems = MAX_PROBLEMS,
): { ok: true; value: Static<T> } | { ok: false; problems: Problem[] } {
  if (Check(schema, value)) return { ok: true, value };
  const problems: Problem[] = [];
  for (const error of Errors(schema, value)) {
    if (problems.length === maxProblems) break;
    const problem = { path: error.path, message: describe(error) };
    if (!problems.some((known) => known.path === problem.path)) problems.push(problem);
  }
  return { ok: false, problems };
}

/** `at /turns/0/tool: unknown key, did you mean "tools"?; at /model: expected string`, or with other names of places. */
export function problemText(
  problems: readonly Problem[],
  nameOf: (path: string) => string = (path) => `at ${path}`,
): string {
  return problems.map(({ path, message }) => (path === '' ? message : `${nameOf(path)}: ${message}`)).join('; ');
}

function describe(error: ValueError): string {
  const key = lastKey(error.path);
  const known = knownKeys(error.schema);
  // TypeBox reports an unknown key with the schema of the object that does not have it.
  if (error.message === 'Unexpected property' && known !== undefined) {
    const guess = nearest(key, known);
    return guess === undefined
      ? `unknown key "${key}" (known: ${known.join(', ')})`
      : `unknown key "${key}", did you mean "${guess}"?`;
  }
  const words = knownWords(error.schema);
  if (words !== undefined) {
    const guess = typeof error.value === 'string' ? nearest(error.value, words) : undefined;
    const list = `${JSON.stringify(error.value)} is none of ${words.join(', ')}`;
    return guess === undefined ? list : `${list}; did you mean "${guess}"?`;
  }
  const message = error.message.charAt(0).toLowerCase() + error.message.slice(1);
  if (error.message === 'Expected required property') return `"${key}" is missing`;
  return message;
}

function knownKeys(schema: TSchema): string[] | undefined {
  if (schema[Kind] !== 'Object') return undefined;
  return Object.keys((schema as TObject).properties);
}

/** The words of a schema that allows a few words and nothing else. */
function knownWords(schema: TSchema): string[] | undefined {
  if (schema[Kind] !== 'Union') return undefined;
  const words = (schema as TUnion).anyOf.map((option): unknown => option['const']);
  return words.every((word) => typeof word === 'string') ? words : undefined;
}

function lastKey(path: string): string {
  const key = path.slice(path.lastIndexOf('/') + 1);
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}
