import { KiB, MiB } from '../../lib/bytes.ts';

/** Largest content that is looked through, bytes. A larger one is a risk because it was not. */
export const MAX_CONTENT_BYTES = 32 * MiB;
/** Largest JSON manifest (package.json, composer.json) that is parsed, bytes; and how deep and how many values. */
export const MAX_MANIFEST_BYTES = 4 * MiB;
export const MAX_MANIFEST_DEPTH = 64;
export const MAX_MANIFEST_VALUES = 100_000;
/** Largest lock file that is looked through: bytes, and lines. */
export const MAX_LOCK_BYTES = 8 * MiB;
export const MAX_LOCK_LINES = 300_000;
/** Where more than this lies between the first and the last changed line, it counts as one place: bytes, then lines. */
export const MAX_DIFF_BYTES = 4 * MiB;
export const MAX_DIFF_LINES = 100_000;
/** Inserted and deleted lines that are told apart; with more, everything between the first and the last is one place. */
export const MAX_EDITS = 500;
/** Places that are listed of one class in one change; the last one stands for all that follow. */
export const MAX_PLACES = 20;
/** Places that are counted. */
export const MAX_COUNTED = 10_000;
/** Text that is decoded at once, bytes. */
export const BLOCK_BYTES = 256 * KiB;
/** Longest piece of a name or a content that is repeated in a description, characters. */
export const MAX_QUOTED = 120;
