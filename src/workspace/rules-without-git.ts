import { joinPath } from '../lib/path-bytes.ts';
import type { GitHost } from './git-command.ts';
import { findWorkTree } from './git-folder.ts';
import { defaultExcludesFile } from './global-excludes.ts';
import { IgnoreFiles } from './ignore-files.ts';
import type { IgnoreRules } from './ignore-rules.ts';

/** Ignore rules as far as they can be read without git: files in the tree, the repository's own, the user's default ones. */
export async function rulesWithoutGit(root: string, env: GitHost): Promise<IgnoreRules> {
  const repository = await findWorkTree(root);
  const files: (string | Buffer)[] = [];
  const global = defaultExcludesFile(env);
  if (global !== undefined) files.push(global);
  if (repository !== undefined) files.push(joinPath(repository.git.common, Buffer.from('info/exclude')));
  return IgnoreFiles.load(root, repository?.top ?? root, files);
}
