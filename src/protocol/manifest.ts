/**
 * One thing in a tree, as the host saw it: hashed from the bytes that went in or came out, never from a list that the
 * guest gave. Paths and link targets are bytes and are never decoded.
 */
export interface ManifestEntry {
  /** Relative to the root, parts joined with `/`. */
  readonly path: Buffer;
  readonly type: 'file' | 'dir' | 'symlink';
  /** Permission bits, without set-uid, set-gid and sticky. */
  readonly mode: number;
  /** Bytes of a file, else 0. */
  readonly size: number;
  /** Lower-case hex SHA-256 of a file's content. */
  readonly sha256?: string;
  /** Where a link points. */
  readonly target?: Buffer;
}

/** A tree by path; the key is the path's bytes as Latin-1, so that equal bytes are equal keys. */
export type Manifest = ReadonlyMap<string, ManifestEntry>;

/** Key of a path in a manifest. */
export function manifestKey(path: Buffer): string {
  return path.toString('latin1');
}
