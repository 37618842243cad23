import { manifestKey } from '../../protocol/manifest.ts';
import type { HashName, Repository } from './repository.ts';

/** A path in a tree of git: mode in octal, name of the content. */
export interface Entry {
  readonly mode: string;
  readonly id: string;
}

/** Mode of a commit of another repository: a submodule. */
export const SUBMODULE = '160000';

/** What git says of an attribute that names nothing. */
const NO_FILTER = new Set(['unspecified', 'unset', 'set']);

/** Fills the index from HEAD and returns what is in it, by manifest key. */
export async function readHead(repository: Repository): Promise<Map<string, Entry>> {
  const entries = new Map<string, Entry>();
  await repository.run(['read-tree', repository.head ?? '--empty']);
  const listed = await repository.run(['ls-files', '--stage', '-z']);
  for (let at = 0; at < listed.length; ) {
    const end = listed.indexOf(0, at);
    const tab = listed.indexOf(0x09, at);
    const [mode = '', id = ''] = listed.toString('latin1', at, tab).split(' ');
    entries.set(manifestKey(listed.subarray(tab + 1, end)), { mode, id });
    at = end + 1;
  }
  return entries;
}

/** Which of these paths HEAD's attributes give a filter, and its name, by manifest key. */
export async function readFilters(repository: Repository, paths: readonly Buffer[]): Promise<Map<string, string>> {
  const filters = new Map<string, string>();
  if (paths.length === 0) return filters;
  const asked = Buffer.concat(paths.flatMap((path) => [path, Buffer.from([0])]));
  const told = await repository.run(['check-attr', '--cached', '-z', '--stdin', 'filter'], asked);
  const fields = told.toString('latin1').split('\0');
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = '', value = ''] = [fields[at], fields[at + 2]];
    if (!NO_FILTER.has(value)) filters.set(path, value);
  }
  return filters;
}

/** Lines of `update-index --index-info`: what goes first, so that a folder can take the place of a file. */
export function indexInfo(
  entries: readonly { readonly path: Buffer; readonly entry: Entry | undefined }[],
  hash: HashName,
): Buffer {
  const removed: Entry = { mode: '0', id: '0'.repeat(hash === 'sha1' ? 40 : 64) };
  const gone = entries.filter(({ entry }) => entry === undefined);
  const set = entries.filter(({ entry }) => entry !== undefined);
  return Buffer.concat(
    [...gone, ...set].flatMap(({ path, entry = removed }) => [
      Buffer.from(`${entry.mode} ${entry.id}\t`),
      path,
      Buffer.from([0]),
    ]),
  );
}
