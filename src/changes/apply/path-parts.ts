const SLASH = 0x2f;

/** The parts of a relative path; none for the empty path. */
export function splitPath(path: Buffer): Buffer[] {
  const parts: Buffer[] = [];
  let start = 0;
  for (let at = 0; at <= path.length; at++) {
    if (at < path.length && path[at] !== SLASH) continue;
    if (at > start) parts.push(path.subarray(start, at));
    start = at + 1;
  }
  return parts;
}

/** The folder that a path is in, empty for the root. */
export function folderOf(path: Buffer): Buffer {
  return path.subarray(0, Math.max(0, path.lastIndexOf(SLASH)));
}

/** The last part of a path. */
export function nameOf(path: Buffer): Buffer {
  return path.subarray(path.lastIndexOf(SLASH) + 1);
}

/** All folders above a path, from the root's child downwards, without the root and the path itself. */
export function foldersAbove(path: Buffer): Buffer[] {
  const found: Buffer[] = [];
  for (let at = path.indexOf(SLASH); at !== -1; at = path.indexOf(SLASH, at + 1)) found.push(path.subarray(0, at));
  return found;
}
