/** Bounds of what `diff` shows to a person; `--patch` and `--json` have none of them. */

/** Characters of one line. */
export const MAX_LINE_CHARS = 500;
/** Lines of one file, so that a long one hides no other. */
export const MAX_FILE_LINES = 1_000;
/** Lines of all files. */
export const MAX_LINES = 20_000;
/** Paths that are listed for one class of risk, refused, or left out of the patch. */
export const MAX_LISTED = 20;
