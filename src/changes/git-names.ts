/**
 * Code points that HFS+ leaves out when it compares names, as UTF-8 bytes in Latin-1: U+200C to U+200F, U+202A to
 * U+202E, U+206A to U+206F and U+FEFF. The list is git's (`next_hfs_char` in utf8.c).
 */
const IGNORED_BY_HFS = /\xe2\x80[\x8c-\x8f\xaa-\xae]|\xe2\x81[\xaa-\xaf]|\xef\xbb\xbf/g;

/** NTFS drops blanks and dots at the end, keeps streams after a colon, and knows `.git` by a short name as well. */
const GIT = /^(\.git|git~1)[ .]*(:.*)?$/is;

/** Whether some file system takes this name for `.git`; bytes as Latin-1. A backslash divides names on Windows. */
export function isGitName(name: string): boolean {
  return name
    .replace(IGNORED_BY_HFS, '')
    .split('\\')
    .some((part) => GIT.test(part));
}
