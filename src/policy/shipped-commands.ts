import type { CommandRule } from '../protocol/policy.ts';

/** Rules for commands that every run starts with. */
export const SHIPPED_COMMANDS: readonly CommandRule[] = [];
