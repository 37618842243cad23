/** Files, folders and links that one selection may hold. */
export const MAX_ENTRIES = 500_000;
/** Folders below each other. */
export const MAX_DEPTH = 200;
/** Repositories inside the repository, submodules included. */
export const MAX_NESTED_REPOSITORIES = 200;
/** Paths that a report lists per reason; the count goes on. */
export const LISTED_PER_REASON = 50;
/** Files that moved while they were copied, listed by name. */
export const MAX_CHANGED_LISTED = 200;
/** Paths in `.pi` or `.agents` that a notice names. */
export const PROJECT_FILES_LISTED = 8;
/** Repositories and names that one notice lists. */
export const LISTED_IN_NOTICE = 5;

/** All indexes that are copied for git in one selection, bytes: more than MAX_ENTRIES long names take. */
export const MAX_INDEX_BYTES = 256 << 20;
/** Largest configuration or rule file that is read, bytes. */
export const MAX_RULES_BYTES = 1 << 20;
/** Ignore files that are read once more to judge what is new. */
export const MAX_IGNORE_FILES = 2_000;
/** Longest ignore rule that is matched without git, bytes: no path is longer. */
export const MAX_RULE_BYTES = 4096;
/** `**` in a rule that is matched without git: each one more multiplies the time by the depth of a path. */
export const MAX_RULE_GLOBSTARS = 2;
/** Largest `.git` file, HEAD or commondir that is read, bytes. */
export const MAX_POINTER_BYTES = 8192;
/** Longest list of ignored paths that git may give, bytes. */
export const MAX_IGNORED_BYTES = 64 << 20;
/** Time for one listing by git, milliseconds. */
export const GIT_TIMEOUT_MS = 60_000;
/** Time after which we look whether something in the tree holds git up, milliseconds. */
export const GIT_SLOW_MS = 2_000;

/** Work without a pause for anything else in this process, milliseconds. */
export const SLICE_MS = 8;
