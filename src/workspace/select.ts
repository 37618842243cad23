import { mkdtemp, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { CommandError } from '../lib/command.ts';
import { PathPatterns } from '../lib/glob.ts';
import type { GitHost } from './git-command.ts';
import { findWorkTree } from './git-folder.ts';
import { GitIgnored } from './git-ignored.ts';
import { mayHaveGlobalExcludes } from './global-excludes.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import { LeftOutRecorder } from './left-out.ts';
import { NoIgnoreRules, RulesFound } from './no-ignore-rules.ts';
import { findProjectFiles, isContextFile, isPiFolder } from './project-files.ts';
import { rulesWithoutGit } from './rules-without-git.ts';
import type { Selection } from './selection.ts';
import { declaredSubmodules } from './submodules.ts';
import { Walk } from './walk.ts';

export interface SelectOptions {
  /** Real path of the repository, as `checkRoot` returned it. */
  readonly root: string;
  /** Patterns in gitignore syntax that bring ignored paths back. */
  readonly include: readonly string[];
  /** Patterns in gitignore syntax that leave paths out; stronger than `include`. */
  readonly exclude: readonly string[];
  /** Whether AGENTS*.md and CLAUDE*.md at the root may enter. */
  readonly contextFiles: boolean;
  /** Whether `.pi` and `.agents` at the root may enter. */
  readonly trustProject: boolean;
  readonly signal?: AbortSignal;
  /** Called some times a second with what was found so far. */
  readonly onProgress?: (progress: { files: number; bytes: number }) => void;
  /** An existing folder of ours, 0700, for scratch files; they are gone when the call returns. */
  readonly scratchRoot: string;
  readonly env: GitHost;
}

/**
 * Decides which files of a repository enter the sandbox: tracked ones, and untracked ones that are not ignored.
 * Nothing of the repository is executed and its git configuration is never in force. Throws SandboxError
 * ('repository') where the tree cannot be read or passes a limit, and the signal's reason when aborted.
 */
export async function selectFiles(o: SelectOptions): Promise<Selection> {
  o.signal?.throwIfAborted();
  return (await withoutRules(o)) ?? (await selectByGit(o));
}

/** The selection where no ignore rule can hold; undefined where one may. */
async function withoutRules(o: SelectOptions): Promise<Selection | undefined> {
  if ((await findWorkTree(o.root)) !== undefined || (await mayHaveGlobalExcludes(o.env))) return undefined;
  try {
    return await selectBy(new NoIgnoreRules(o.root), o, []);
  } catch (error) {
    if (error instanceof RulesFound) return undefined;
    throw error;
  }
}

async function selectByGit(o: SelectOptions): Promise<Selection> {
  const scratchRoot = await mkdtemp(join(o.scratchRoot, 'select-'));
  try {
    const rules = await GitIgnored.load(o.root, { scratchRoot, host: o.env, signal: o.signal });
    return await selectBy(rules, o, []);
  } catch (error) {
    o.signal?.throwIfAborted();
    if (!(error instanceof CommandError)) throw error;
    return await selectBy(await rulesWithoutGit(o.root, o.env), o, [
      `${error.message}; the ignore rules are taken from .gitignore files, and tracked files that are also ignored stay out.`,
    ]);
  } finally {
    await rm(scratchRoot, { recursive: true, force: true });
  }
}

async function selectBy(rules: IgnoreRules, o: SelectOptions, before: readonly string[]): Promise<Selection> {
  const include = new PathPatterns(o.include);
  const exclude = new PathPatterns(o.exclude);
  const leftOut = new LeftOutRecorder();
  const walk = new Walk({
    root: o.root,
    rules,
    include,
    exclude,
    staysOut: (name) => {
      if (!o.trustProject && isPiFolder(name)) return 'project-files';
      return !o.contextFiles && isContextFile(name) ? 'context-files' : undefined;
    },
    submodules: await declaredSubmodules(o.root),
    leftOut,
    signal: o.signal,
    onProgress: o.onProgress,
  });
  await walk.run();
  const clashes = walk.clashes.notice();
  const unused = [
    ...include.unused().map((pattern) => `--include ${pattern} matched nothing that was left out.`),
    ...exclude.unused().map((pattern) => `--exclude ${pattern} matched nothing.`),
  ];
  return {
    root: o.root,
    entries: walk.entries,
    files: walk.files,
    bytes: walk.bytes,
    leftOut: leftOut.result(),
    ...findProjectFiles(o.root, walk.entries),
    vcs: rules.vcs,
    notices: [...before, ...rules.notices(), ...(clashes === undefined ? [] : [clashes]), ...unused],
  };
}
