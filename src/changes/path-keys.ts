/** Paths as manifests key them: bytes as Latin-1, parts joined with `/`, the root as the empty text. */

export function parentOf(key: string): string {
  const slash = key.lastIndexOf('/');
  return slash < 0 ? '' : key.slice(0, slash);
}

export function nameOf(key: string): string {
  return key.slice(key.lastIndexOf('/') + 1);
}

export function pathBytes(key: string): Buffer {
  return Buffer.from(key, 'latin1');
}

/** Folders that no key names, although something lies in them. */
export function impliedFolders(keys: Iterable<string>, known: { has(key: string): boolean }): Set<string> {
  const implied = new Set<string>();
  for (const key of keys) {
    for (let at = parentOf(key); at !== '' && !known.has(at) && !implied.has(at); at = parentOf(at)) implied.add(at);
  }
  return implied;
}
