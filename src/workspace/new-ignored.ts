import { SandboxError } from '../errors.ts';
import { PathPatterns } from '../lib/glob.ts';
import type { GitHost } from './git-command.ts';
import { MAX_IGNORE_FILES } from './limits.ts';
import { rulesWithoutGit } from './rules-without-git.ts';
import type { Selection } from './selection.ts';

const IGNORE_FILE = /(^|\/)\.gitignore$/;

/**
 * Whether the ignore rules leave out something that was not there before: build products, caches. The rules are those
 * of the host, read by us; `include` is stronger, as it is on the way in. Undefined where they cannot be used.
 */
export async function ignoredWhenNew(
  selection: Pick<Selection, 'root' | 'entries'>,
  o: { include: readonly string[]; env: GitHost },
): Promise<((path: Buffer, folder: boolean) => boolean) | undefined> {
  const folders = selection.entries
    .filter(({ path, type }) => type === 'file' && IGNORE_FILE.test(path.toString('latin1')))
    .map(({ path }) => path.subarray(0, Math.max(0, path.length - '/.gitignore'.length)));
  if (folders.length > MAX_IGNORE_FILES) return undefined;
  try {
    const rules = await rulesWithoutGit(selection.root, o.env);
    // Parents come before what is in them, so that a later rule takes an earlier one back as it should.
    for (const folder of folders.sort((a, b) => a.length - b.length)) await rules.enterFolder(folder);
    const include = new PathPatterns(o.include);
    return (path, folder) =>
      rules.ignores(path, folder) && !include.matches(path, folder) && !(folder && include.leadsInto(path));
  } catch (error) {
    if (error instanceof SandboxError) return undefined;
    throw error;
  }
}
