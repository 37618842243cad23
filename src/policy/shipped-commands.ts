import type { CommandRule } from '../protocol/policy.ts';
import { CODE_RULES } from './shipped-commands/code.ts';
import { DEVICE_RULES } from './shipped-commands/devices.ts';
import { GIT_RULES } from './shipped-commands/git.ts';
import { NETWORK_RULES } from './shipped-commands/network.ts';
import { PROCESS_RULES } from './shipped-commands/processes.ts';
import { PUBLISH_RULES } from './shipped-commands/publish.ts';
import { REMOVAL } from './shipped-commands/removal.ts';
import { SYSTEM_RULES } from './shipped-commands/system.ts';

/**
 * Rules for commands that every run starts with. They catch mistakes of an honest agent and say why; against one that wants
 * to do harm the container is the boundary, and most of what is named here would hurt the working copy only.
 */
export const SHIPPED_COMMANDS: readonly CommandRule[] = [
  ...REMOVAL,
  ...DEVICE_RULES,
  ...PROCESS_RULES,
  ...CODE_RULES,
  ...PUBLISH_RULES,
  ...GIT_RULES,
  ...SYSTEM_RULES,
  ...NETWORK_RULES,
];
