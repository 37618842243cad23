import type { Verdict } from '../protocol/policy.ts';

/** Of several verdicts the one with the highest number counts. */
export const STRICTNESS: Readonly<Record<Verdict, number>> = { allow: 0, ask: 1, deny: 2 };
