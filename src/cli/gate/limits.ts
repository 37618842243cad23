/** Bounds of what is shown of a call that a person is asked about. */

/** Lines of a call that are shown at first: its beginning and its end. */
export const FIRST_LINES = 16;
export const LAST_LINES = 6;
/** Characters of a call that can be shown at all, on demand. */
export const WHOLE_CHARS = 256 * 1024;
/** Edits of one call that can be shown. */
export const MAX_EDITS = 200;
/** Arguments of one call that are shown one by one. */
export const MAX_ARGUMENTS = 64;
/** Unchanged lines around an edit. */
export const CONTEXT_LINES = 2;

/** Answers that are none, after which the call is denied. */
export const MAX_TRIES = 20;
/** Nothing may have been typed for this long after the question was shown, before an answer counts. Milliseconds. */
export const QUIET_MS = 250;
