import { nameOf, parentOf } from './path-keys.ts';

/** Groups of paths that are one on a disk that ignores case or Unicode form. Bytes as Latin-1. */
export function findCollisions(keys: Iterable<string>): string[][] {
  const folders = new Map<string, string>([['', '']]);
  const groups = new Map<string, string | string[]>();
  const foldFolder = (key: string): string => {
    const known = folders.get(key);
    if (known !== undefined) return known;
    const folded = `${foldFolder(parentOf(key))}/${foldName(nameOf(key))}`;
    folders.set(key, folded);
    return folded;
  };
  for (const key of keys) {
    const folded = `${foldFolder(parentOf(key))}/${foldName(nameOf(key))}`;
    const others = groups.get(folded);
    if (others === undefined) groups.set(folded, key);
    else if (typeof others === 'string') groups.set(folded, [others, key]);
    else others.push(key);
  }
  return [...groups.values()].filter((group) => typeof group !== 'string');
}

/** Upper case first: it folds more letters than lower case does, as `ß` and `ſ`. */
function foldName(name: string): string {
  if (/^[\x00-\x7f]*$/.test(name)) return name.toLowerCase();
  const bytes = Buffer.from(name, 'latin1');
  const text = bytes.toString('utf8');
  // No disk that folds names takes bytes that are no text.
  if (!Buffer.from(text, 'utf8').equals(bytes)) return `\0${name}`;
  return text.normalize('NFD').toUpperCase().toLowerCase().normalize('NFC');
}
