import type { Stats } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { SandboxError } from '../errors.ts';
import type { PathPatterns } from '../lib/glob.ts';
import { joinPath, showPath } from '../lib/path-bytes.ts';
import { TimeSlice } from '../lib/slice.ts';
import { findGitFolder } from './git-folder.ts';
import type { IgnoreRules } from './ignore-rules.ts';
import type { LeftOutReason, LeftOutRecorder } from './left-out.ts';
import { MAX_DEPTH, MAX_ENTRIES, SLICE_MS } from './limits.ts';
import { NameClashes } from './name-clashes.ts';
import { look, readNames, readTarget } from './read-folder.ts';
import type { Entry } from './selection.ts';

export interface WalkOptions {
  readonly root: string;
  readonly rules: IgnoreRules;
  readonly include: PathPatterns;
  readonly exclude: PathPatterns;
  /** Why a name at the root stays out whatever else asks for it; undefined when it does not. */
  readonly staysOut: (name: string) => LeftOutReason | undefined;
  /** Paths that `.gitmodules` declares, as bytes (latin1). */
  readonly submodules: ReadonlySet<string>;
  readonly leftOut: LeftOutRecorder;
  readonly signal: AbortSignal | undefined;
  readonly onProgress: ((progress: { files: number; bytes: number }) => void) | undefined;
}

/**
 * What decides in a folder: `rules` the ignore rules; `included` nothing, because --include asked for the folder;
 * `ignored` only --include, on the way through an ignored folder to something in it.
 */
type Regime = 'rules' | 'included' | 'ignored';

const DOT_GIT = Buffer.from('.git');

/** Walks the tree under the root: links are never followed, nothing is opened but folders. */
export class Walk {
  readonly entries: Entry[] = [];
  readonly clashes = new NameClashes();
  files = 0;
  bytes = 0;
  readonly #o: WalkOptions;
  readonly #root: Buffer;
  readonly #slice: TimeSlice;
  /** Real paths of folders that belong to git under another name, as Latin-1: a `.git` file names them. */
  readonly #gitFolders = new Set<string>();
  #device = 0;

  constructor(options: WalkOptions) {
    this.#o = options;
    this.#root = Buffer.from(options.root);
    this.#slice = new TimeSlice(SLICE_MS, options.signal, () => {
      options.onProgress?.({ files: this.files, bytes: this.bytes });
    });
  }

  async run(): Promise<void> {
    const root = look(this.#root, Buffer.alloc(0));
    const names = readNames(this.#root);
    if (root.stat === undefined || !Array.isArray(names)) {
      throw new SandboxError('repository', `The repository ${showPath(this.#root)} cannot be read.`, {
        hint: 'Check that it exists and that you may read it.',
      });
    }
    this.#device = root.stat.dev;
    await this.#folder(Buffer.alloc(0), names, 'rules', 0);
    this.#o.onProgress?.({ files: this.files, bytes: this.bytes });
    this.#o.signal?.throwIfAborted();
  }

  async #folder(folder: Buffer, names: Buffer[], regime: Regime, depth: number): Promise<void> {
    if (depth > MAX_DEPTH) throw tooBig(this.#root, `nests folders deeper than ${MAX_DEPTH}`);
    const { rules } = this.#o;
    await rules.enterFolder(folder);
    if (names.some((name) => name.equals(DOT_GIT))) {
      this.#o.leftOut.add(joinPath(folder, DOT_GIT), 'git-metadata');
      await this.#noteGitFolder(folder);
      if (depth > 0 && regime === 'rules') await rules.enterRepository(folder);
    }
    const kept: Buffer[] = [];
    const absolute = joinPath(this.#root, folder);
    for (const name of names) {
      if (name.equals(DOT_GIT)) continue;
      if (this.#slice.over) await this.#slice.pause();
      const before = this.entries.length;
      await this.#one(joinPath(folder, name), absolute, name, regime, depth);
      if (this.entries.length > before) kept.push(name);
    }
    this.clashes.check(folder, kept);
    rules.leaveFolder();
  }

  async #noteGitFolder(folder: Buffer): Promise<void> {
    const git = await findGitFolder(joinPath(this.#root, folder));
    for (const place of git === undefined ? [] : [git.own, git.common]) {
      const real = await realpath(place, { encoding: 'buffer' }).catch(() => place);
      this.#gitFolders.add(real.toString('latin1'));
    }
  }

  async #one(path: Buffer, folder: Buffer, name: Buffer, regime: Regime, depth: number): Promise<void> {
    const { stat, problem } = look(folder, name);
    if (stat === undefined) return this.#o.leftOut.add(path, problem ?? 'vanished');
    const isFolder = stat.isDirectory();
    if (isFolder && this.#gitFolders.has(joinPath(this.#root, path).toString('latin1'))) {
      return this.#o.leftOut.add(path, 'git-metadata', true);
    }
    const inside = this.#decide(path, name, isFolder, regime, depth);
    if (inside.reason !== undefined) return this.#o.leftOut.add(path, inside.reason, isFolder);
    if (isFolder) return this.#enter(path, stat, inside.regime, depth);
    if (inside.regime === 'ignored') return this.#o.leftOut.add(path, 'ignored');
    if (stat.isFile()) {
      this.files += 1;
      this.bytes += stat.size;
      return this.#push(path, 'file', stat);
    }
    if (stat.isSymbolicLink()) {
      const target = readTarget(joinPath(folder, name));
      return target === undefined ? this.#o.leftOut.add(path, 'vanished') : this.#push(path, 'symlink', stat, target);
    }
    this.#o.leftOut.add(path, stat.isFIFO() ? 'fifo' : stat.isSocket() ? 'socket' : 'device');
  }

  #decide(
    path: Buffer,
    name: Buffer,
    isFolder: boolean,
    regime: Regime,
    depth: number,
  ): { reason?: LeftOutReason; regime: Regime } {
    const { include, exclude, rules, staysOut } = this.#o;
    const reason = depth === 0 ? staysOut(name.toString('latin1')) : undefined;
    if (reason !== undefined) return { reason, regime };
    if (exclude.matches(path, isFolder)) return { reason: 'excluded', regime };
    if (regime === 'included') return { regime };
    const ignored = regime === 'ignored' || rules.ignores(path, isFolder);
    if (!ignored) return { regime };
    if (include.matches(path, isFolder)) return { regime: 'included' };
    if (isFolder && include.leadsInto(path)) return { regime: 'ignored' };
    return { reason: 'ignored', regime };
  }

  async #enter(path: Buffer, stat: Stats, regime: Regime, depth: number): Promise<void> {
    // A volume mounted into the tree is not part of the repository, and can be anything: a network share, /proc.
    const { leftOut, include, submodules } = this.#o;
    const foreign = stat.dev !== this.#device && regime !== 'included' && !include.matches(path, true);
    if (foreign) return leftOut.add(path, 'mount', true);
    const names = readNames(joinPath(this.#root, path));
    if (!Array.isArray(names)) return leftOut.add(path, names, true);
    if (names.length === 0 && submodules.has(path.toString('latin1'))) {
      leftOut.add(path, 'submodule-uninitialised', true);
    }
    const before = this.entries.length;
    this.#push(path, 'dir', stat);
    await this.#folder(path, names, regime, depth + 1);
    // An ignored folder enters only as the way to something that --include asked for.
    if (regime === 'ignored' && this.entries.length === before + 1) this.entries.pop();
  }

  #push(path: Buffer, type: Entry['type'], stat: Stats, target?: Buffer): void {
    if (this.entries.length >= MAX_ENTRIES)
      throw tooBig(this.#root, `holds more than ${MAX_ENTRIES} files and folders`);
    this.entries.push({
      path,
      type,
      mode: stat.mode & 0o777,
      size: type === 'file' ? stat.size : 0,
      mtime: Math.floor(stat.mtimeMs / 1000),
      target,
    });
  }
}

function tooBig(root: Buffer, what: string): SandboxError {
  return new SandboxError('repository', `The repository ${showPath(root)} ${what}.`, {
    hint: 'Leave parts out with --exclude, choose a smaller folder, or use --workspace mount.',
  });
}
