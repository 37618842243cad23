import { KiB, MiB } from '../lib/bytes.ts';

/** One question of the guard, bytes: the arguments of a call, of which a `write` has a whole file in it. */
export const MAX_QUESTION_BYTES = 16 * MiB;
/** Nesting and values of a question. */
export const QUESTION_JSON = { depth: 64, values: 200_000 };
/** Questions of the guard in one run. Later ones are refused without a record. */
export const MAX_QUESTIONS = 10_000;
/** Calls that are remembered in one run, nested ones included. Later ones count as unknown. */
export const MAX_CALLS = 20_000;
/** Calls that one call makes in its turn. Later ones are denied, so that a script in a loop cannot use up the run. */
export const MAX_NESTED = 1_000;
/** Questions to a person or program in one run. What would be asked after that is denied. */
export const MAX_ASKS = 200;
/** Longest note of who was asked, and longest reason on record, characters. */
export const MAX_NOTE_CHARS = 1_000;
/** Rules in a record that a call met: the deciding one and those that come next. */
export const MAX_RECORDED_RULES = 20;
/** Arguments in a record, bytes of JSON. */
export const MAX_RECORDED_BYTES = 16 * KiB;
/** Arguments of one `change`, bytes of JSON. They are kept, so that a call that asks again gets the same answer. */
export const MAX_CHANGE_BYTES = MiB;
