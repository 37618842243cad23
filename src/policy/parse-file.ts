import { createHash } from 'node:crypto';
import { SandboxError } from '../errors.ts';
import { sentence } from '../lib/format.ts';
import { type Problem, strictParse } from '../lib/strict-parse.ts';
import { PolicyFile } from '../protocol/policy.ts';
import { misfits } from './check-values.ts';
import { fileLayer, valueAt } from './file-layer.ts';
import type { Layer } from './layer.ts';
import { withWords } from './problem-words.ts';
import { type Position, readYaml, type YamlSource } from './yaml-source.ts';

/** Problems of one file that are reported at once. */
export const MAX_FILE_PROBLEMS = 20;

const VERSION = 1;

export type ParsedFile =
  | { readonly layer: Layer; readonly problems?: undefined }
  | { readonly problems: readonly SandboxError[]; readonly layer?: undefined };

/**
 * The bytes of a policy file as a layer, or what is wrong with them, in the order of the file: one SandboxError `policy`
 * each, that starts with `FILE:LINE:COLUMN`. `shown` names the file to the user, `path` is where it is.
 */
export function parsePolicyFile(bytes: Buffer, { path, shown }: { path: string; shown: string }): ParsedFile {
  const text = decoded(bytes);
  if (text === undefined) return refused(shown, { line: 1, column: 1 }, 'the file is not UTF-8 text');
  const read = readYaml(text);
  if ('problems' in read) {
    return { problems: read.problems.map(({ message, hint, ...at }) => problemAt(shown, at, message, hint)) };
  }
  const { source } = read;
  if (source.value === null) {
    return refused(
      shown,
      { line: 1, column: 1 },
      'the file is empty',
      `A policy needs at least "version: ${VERSION}".`,
    );
  }
  const problems = wrongVersion(source.value) ?? allProblems(source.value);
  if (problems.length > 0) return { problems: located(problems, source, shown) };
  return {
    layer: fileLayer(source.value as PolicyFile, {
      origin: path,
      sha256: createHash('sha256').update(bytes).digest('hex'),
      originOf: (pointer) => `${path}:${source.position(pointer, true).line}`,
      labelOf: (pointer) => `${place(shown, source.position(pointer))}: ${dotted(pointer)}`,
    }),
  };
}

function decoded(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}

/** A file of another version is not held against the rules of this one. */
function wrongVersion(value: unknown): Problem[] | undefined {
  const version = valueAt(value, '/version');
  if (version === undefined || version === VERSION) return undefined;
  const hint = String(version) === String(VERSION) ? `; write it without quotes: version: ${VERSION}` : '';
  return [
    { path: '/version', message: `this pi-sandbox reads version ${VERSION}, not ${JSON.stringify(version)}${hint}` },
  ];
}

function allProblems(value: unknown): Problem[] {
  const parsed = strictParse(PolicyFile, value, MAX_FILE_PROBLEMS);
  const wrong = parsed.ok ? [] : parsed.problems.map((problem) => withWords(problem, value));
  const also = misfits(value).filter(({ path }) => !wrong.some((known) => known.path === path));
  return [...wrong, ...also].slice(0, MAX_FILE_PROBLEMS);
}

function located(problems: readonly Problem[], source: YamlSource, shown: string): SandboxError[] {
  return problems
    .map(({ path, message }) => {
      const ofKey = message.startsWith('unknown key');
      const at = source.position(path, ofKey);
      const name = dotted(ofKey || message.endsWith('is missing') ? path.slice(0, path.lastIndexOf('/')) : path);
      return { at, text: name === '' ? message : `${name}: ${message}` };
    })
    .sort((a, b) => a.at.line - b.at.line || a.at.column - b.at.column)
    .map(({ at, text }) => problemAt(shown, at, text));
}

function refused(shown: string, at: Position, message: string, hint?: string): ParsedFile {
  return { problems: [problemAt(shown, at, message, hint)] };
}

function problemAt(shown: string, at: Position, message: string, hint?: string): SandboxError {
  return new SandboxError('policy', sentence(`${place(shown, at)}: ${message}`), hint === undefined ? {} : { hint });
}

function place(shown: string, { line, column }: Position): string {
  return `${shown}:${line}:${column}`;
}

/** `/commands/rules/0/text` as `commands.rules[0].text`. */
function dotted(pointer: string): string {
  return pointer
    .split('/')
    .slice(1)
    .map((key, index) => (/^\d+$/.test(key) ? `[${key}]` : `${index === 0 ? '' : '.'}${key}`))
    .join('')
    .replaceAll('~1', '/')
    .replaceAll('~0', '~');
}
