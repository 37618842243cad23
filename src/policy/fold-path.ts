/** Bidi controls, joiners, tags and the like: some file systems leave them out when they compare names. */
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu;
const PLAIN = /^[\x20-\x40\x5b-\x7e]*$/;

/**
 * A path or glob without what another file system would not tell apart: case, invisible characters, composed and
 * decomposed letters. Rules that stop something are held against this form, so that `.ENV` is `.env`.
 */
export function foldPath(path: string): string {
  if (PLAIN.test(path)) return path;
  // Upper case first: some letters have no lower case of their own, but an upper one.
  return path.replace(IGNORED, '').normalize('NFC').toUpperCase().toLowerCase();
}

/** The same without blanks and dots at the end of a name, as Windows takes it. Names of dots alone stay. */
function trimNames(path: string): string {
  return /[. ](\/|$)/.test(path) ? path.replace(/(?<=[^/. ])[. ]+(?=\/|$)/g, '') : path;
}

/** One spelling of a path, with its last part. */
export interface Spelling {
  readonly path: string;
  readonly name: string;
}

/** An absolute path as it is, and as look-alikes of it come to the same. */
export interface PathForms {
  readonly exact: Spelling;
  /** One or two. */
  readonly folded: readonly Spelling[];
}

export function pathForms(path: string): PathForms {
  const folded = foldPath(path);
  const trimmed = trimNames(folded);
  return { exact: spelling(path), folded: (trimmed === folded ? [folded] : [folded, trimmed]).map(spelling) };
}

function spelling(path: string): Spelling {
  return { path, name: path.slice(path.lastIndexOf('/') + 1) };
}
