/** A name at the root of the repository under which pi looks for instructions to the model. */
export interface ContextFile {
  readonly path: string;
  /** Size of a regular file, else 0. */
  readonly bytes: number;
  readonly isLink: boolean;
  /** Whether it is spelt as pi spells it. A name in another case is found on some file systems only. */
  readonly isExact: boolean;
  /** Whether it is among what a copy holds. A mount shows it anyway. */
  readonly enters: boolean;
}

/** `.pi` or `.agents` at the root, in any case: pi finds another one than its own on some file systems only. */
export interface PiFolder {
  /** As it is on the disk. */
  readonly name: string;
  readonly kind: 'folder' | 'link' | 'other';
  /** The first paths in it, two folders deep, escaped for display; folders end in `/`. */
  readonly holds: readonly string[];
  /** Whether it holds more than is named. */
  readonly holdsMore: boolean;
  /** Whether it is among what a copy holds. A mount shows it unless it is covered. */
  readonly enters: boolean;
}
