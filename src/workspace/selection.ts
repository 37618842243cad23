import type { LeftOut } from './left-out.ts';
import type { ProjectFiles } from './project-files.ts';

/** One thing that enters the sandbox. */
export interface Entry {
  /** Path relative to the root: the bytes on the disk, with `/`. */
  readonly path: Buffer;
  readonly type: 'file' | 'dir' | 'symlink';
  /** Permission bits, without set-uid, set-gid and sticky. */
  readonly mode: number;
  /** Bytes of a file, else 0. */
  readonly size: number;
  /** Seconds since 1970. */
  readonly mtime: number;
  /** Where a link points: bytes, never followed. */
  readonly target: Buffer | undefined;
}

/** What enters the sandbox and what does not, decided before anything is started. */
export interface Selection extends ProjectFiles {
  /** Real path of the repository on the host. */
  readonly root: string;
  /** Sorted by name in each folder, a folder before what is in it. */
  readonly entries: readonly Entry[];
  /** Regular files. */
  readonly files: number;
  /** Bytes in regular files. */
  readonly bytes: number;
  readonly leftOut: LeftOut;
  /** Where the ignore rules come from: git itself, or `.gitignore` files read by us. */
  readonly vcs: 'git' | 'none';
  /** What a person should know, one sentence each. */
  readonly notices: readonly string[];
}
