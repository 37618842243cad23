import { GiB, KiB, MiB } from '../lib/bytes.ts';

/** Largest change set file that is read, bytes: MAX_CHANGES changes with long paths. */
export const MAX_CHANGE_SET_BYTES = 512 * MiB;
/** Changes in one set; one more makes it partial. */
export const MAX_CHANGES = 100_000;
/** Members that are read of one archive. */
export const MAX_MEMBERS = 1_000_000;
/** Bytes of all contents that are kept of one run. */
export const MAX_KEPT_BYTES = 4 * GiB;
/** Largest single file that is handed back, bytes. */
export const MAX_FILE_BYTES = 2 * GiB;
/** Folders below each other. */
export const MAX_DEPTH = 200;
/** Bytes of one part of a path, and of the whole. */
export const MAX_NAME_BYTES = 255;
export const MAX_PATH_BYTES = 4096;
/** Refused entries that are listed; the count goes on. */
export const MAX_REFUSED_LISTED = 1_000;
/** Largest content that a patch holds, bytes: git takes several times as much memory for it. */
export const MAX_PATCH_FILE_BYTES = 256 * MiB;
/** All of a patch, bytes: base85 of all that is kept, before and after. */
export const MAX_PATCH_BYTES = 12 * GiB;
/** Longest line of a patch that is shown, bytes; the start of a longer one is. */
export const MAX_PATCH_LINE_BYTES = 64 * KiB;
/** Time for git to take in the contents of a patch, and longest silence while it writes one, milliseconds. */
export const PATCH_IMPORT_MS = 600_000;
export const PATCH_QUIET_MS = 120_000;
