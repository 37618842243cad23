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
/** Largest archive that is read, bytes: a file with holes can be declared larger than any disk. */
export const MAX_ARCHIVE_BYTES = 64 * GiB;
/** Longest long name or extended header of a member that is looked at, bytes. */
export const MAX_EXTENSION_BYTES = 64 * KiB;
/** Zero bytes after the end of an archive: tar fills its last record with them. */
export const MAX_END_ZEROS = MiB;
/** Largest file that is held in memory while its hash is made, bytes; larger ones wait on disk. */
export const MAX_HELD_BYTES = MiB;
/** Lines of the tar command's errors that are read. */
export const MAX_TAR_ERRORS = 10_000;
/** Links that are followed to find where one leads: as many as Linux follows. */
export const MAX_LINK_HOPS = 40;
/** Parts of a path that a link leads along: from the deepest folder up and down again into one that is not too deep. */
export const MAX_LINK_PARTS = 256;
/** Parts among them of which nothing is known. */
export const MAX_UNKNOWN_PARTS = 16;
/** Names through links under which one path is judged too. */
export const MAX_LINK_NAMES = 16;

/** Work without a pause for anything else in this process, milliseconds. */
export const SLICE_MS = 8;
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
/** Largest journal of an apply that is read, bytes: MAX_CHANGES steps with long paths. */
export const MAX_JOURNAL_BYTES = 512 * MiB;
/** Largest `.git` file that is read, bytes: one path. */
export const MAX_GIT_POINTER_BYTES = 8 * KiB;
/** Longest time of one call of git while a branch is made, milliseconds. */
export const BRANCH_GIT_MS = 300_000;
/** Largest list of all paths of a commit, bytes. */
export const MAX_GIT_LIST_BYTES = 512 * MiB;
/** Largest file whose line ends are looked at, bytes. */
export const MAX_TEXT_BYTES = 64 * MiB;
