import type { PathRule } from '../protocol/policy.ts';

/** Rules for paths that every run starts with. */
export const SHIPPED_PATHS: readonly PathRule[] = [];
