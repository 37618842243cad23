import { lstat } from 'node:fs/promises';
import { messageOf, SandboxError } from '../../errors.ts';
import { JsonSyntaxError, type PlacedJson, parseLenientJson } from '../../lib/lenient-json.ts';
import { readFileWithin } from '../../lib/read-file.ts';
import { strictParse } from '../../lib/strict-parse.ts';
import { type CustomProvider, ModelsJson } from './models-schema.ts';

const MAX_BYTES = 1 << 20;

/** The user's own providers, and what is changed about known ones. */
export interface CustomProviders {
  /** Where they stand. */
  readonly path: string;
  get(id: string): CustomProvider | undefined;
  ids(): string[];
  /** For an error about a provider: file and line. */
  place(id: string): string;
}

/**
 * pi's models.json; undefined when there is none. pi goes on without one that is broken, which sends a key to another address
 * than its user wrote, so here it is an error. `check` rejects when this file must not be read.
 *
 * @throws SandboxError `model` with file and line; the words hold no value of the file
 */
export async function loadModelsJson(
  path: string,
  check: (path: string) => Promise<void> = async () => {},
): Promise<CustomProviders | undefined> {
  try {
    await lstat(path);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') return undefined;
  }
  await check(path);
  const source = parse(await read(path), path);
  const parsed = strictParse(ModelsJson, source.value, 1);
  if (!parsed.ok) {
    const [problem] = parsed.problems;
    const pointer = problem?.path ?? '';
    const where = pointer === '' ? '' : ` at ${pointer}`;
    throw broken(path, `line ${source.line(pointer)}${where}: ${wordsOf(problem?.message)}`);
  }
  const { providers } = parsed.value;
  const get = (id: string): CustomProvider | undefined => (Object.hasOwn(providers, id) ? providers[id] : undefined);
  return {
    path,
    get,
    ids: () => Object.keys(providers),
    place: (id) => `${path}, line ${source.line(`/providers/${id.replaceAll('~', '~0').replaceAll('/', '~1')}`)}`,
  };
}

async function read(path: string): Promise<string> {
  try {
    const text = (await readFileWithin(path, MAX_BYTES)).toString('utf8');
    return text.startsWith('\uFEFF') ? text.slice(1) : text;
  } catch (error) {
    throw broken(path, messageOf(error));
  }
}

function parse(text: string, path: string): PlacedJson {
  try {
    return parseLenientJson(text);
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    throw broken(path, `line ${error.line}, column ${error.column}: ${error.message}`);
  }
}

/** A list of allowed words comes with the value that is none of them, which may be a secret in the wrong place. */
function wordsOf(message = 'it does not fit'): string {
  return message.replace(/^.* is none of /, 'expected one of ').replace(/; did you mean .*$/, '');
}

function broken(path: string, why: string): SandboxError {
  return new SandboxError('model', `pi's providers in ${path} cannot be used: ${why}.`, {
    hint: 'Correct the file; until then no provider is used, since its addresses and keys may be others than you wrote.',
  });
}
