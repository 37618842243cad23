import { closeSync, constants, existsSync, fstatSync, lstatSync, openSync } from 'node:fs';
import { joinPath, showPath } from '../../lib/path-bytes.ts';
import { codeOf } from './code-of.ts';
import { splitPath } from './path-parts.ts';

/** Where a name in a folder is reached. */
export type At = (name: Buffer) => Buffer;

/** A part of a path that is not a real folder of the target. */
export class FolderProblem extends Error {
  static readonly MISSING = 'does not exist';
  override readonly name = 'FolderProblem';
  /** The part, relative to the root and escaped; empty for the root itself. */
  readonly shown: string;

  constructor(path: Buffer, what: string) {
    super(what);
    this.shown = showPath(path);
  }
}

const OPEN_FOLDER = constants.O_RDONLY | constants.O_DIRECTORY | constants.O_NOFOLLOW;
/** On Linux a name below this path is resolved from an open folder, as openat(2) does; Node has no openat. */
const OPEN_FOLDERS = '/proc/self/fd';

/**
 * The folder that is written to. A path in it is walked part by part, each a real folder on the root's device, never a
 * link. Where the system shows open folders as paths, what is then done happens in exactly the folder that was walked
 * to; elsewhere a process of the same user could still replace a part between the walk and the deed.
 */
export class TargetTree implements Disposable {
  readonly root: Buffer;
  readonly #fd: number;
  readonly #device: number;
  readonly #inode: number;
  readonly #pinned: boolean;

  private constructor(root: Buffer, fd: number, pinned: boolean) {
    this.root = root;
    this.#fd = fd;
    this.#pinned = pinned;
    ({ dev: this.#device, ino: this.#inode } = fstatSync(fd));
  }

  /** @throws FolderProblem when it is not a real folder */
  static open(root: Buffer, { pinned = existsSync(OPEN_FOLDERS) }: { pinned?: boolean } = {}): TargetTree {
    try {
      return new TargetTree(root, openSync(root, OPEN_FOLDER), pinned);
    } catch (error) {
      throw new FolderProblem(Buffer.alloc(0), reasonOf(error, root));
    }
  }

  /** Whether the path that was opened still leads to the folder that was opened. */
  get inPlace(): boolean {
    const found = lstatSync(this.root, { throwIfNoEntry: false });
    return found?.isDirectory() === true && found.dev === this.#device && found.ino === this.#inode;
  }

  /** Works in a folder, given relative to the root. @throws FolderProblem when a part of it is not a real folder */
  within<T>(folder: Buffer, work: (at: At, fd: number) => T): T {
    let fd = this.#fd;
    let walked: Buffer = Buffer.alloc(0);
    try {
      for (const part of splitPath(folder)) {
        const next = this.#enter(this.#at(fd, walked)(part), joinPath(walked, part));
        if (fd !== this.#fd) closeSync(fd);
        fd = next;
        walked = joinPath(walked, part);
      }
      return work(this.#at(fd, walked), fd);
    } finally {
      if (fd !== this.#fd) closeSync(fd);
    }
  }

  #at(fd: number, walked: Buffer): At {
    const folder = this.#pinned ? Buffer.from(`${OPEN_FOLDERS}/${fd}`) : joinPath(this.root, walked);
    return (name) => joinPath(folder, name);
  }

  #enter(place: Buffer, shown: Buffer): number {
    let fd: number;
    try {
      fd = openSync(place, OPEN_FOLDER);
    } catch (error) {
      throw new FolderProblem(shown, reasonOf(error, place));
    }
    if (fstatSync(fd).dev === this.#device) return fd;
    closeSync(fd);
    throw new FolderProblem(shown, 'is on another file system');
  }

  [Symbol.dispose](): void {
    closeSync(this.#fd);
  }
}

function reasonOf(error: unknown, place: Buffer): string {
  const code = codeOf(error);
  if (code === 'ENOENT') return FolderProblem.MISSING;
  if (code === 'EACCES' || code === 'EPERM') return 'cannot be opened: permission is denied';
  if (code !== 'ENOTDIR' && code !== 'ELOOP') return `cannot be opened: ${code ?? String(error)}`;
  const found = lstatSync(place, { throwIfNoEntry: false });
  return found?.isSymbolicLink() === true ? 'is a symbolic link' : 'is not a folder';
}
