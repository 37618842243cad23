import type { PolicyFile } from '../protocol/policy.ts';
import { fileLayer } from './file-layer.ts';
import type { Layer } from './layer.ts';
import { SHIPPED_COMMANDS } from './shipped-commands.ts';
import { SHIPPED_PATHS } from './shipped-paths.ts';

/** Context files up to this size reach the model; pi loads them whole, and a large one becomes a paid prompt. */
export const MAX_CONTEXT_FILE_BYTES = 64 * 1024;

/** The weakest layer: a value for everything that has no other default. */
const BUILT_IN: PolicyFile = {
  version: 1,
  extends: 'edit',
  commands: { default: 'allow', unclear: 'ask', rules: [...SHIPPED_COMMANDS] },
  paths: {
    inside: { read: 'allow', write: 'allow' },
    // Nothing from outside of the workspace leaves the container.
    outside: { read: 'allow', write: 'allow' },
    rules: [...SHIPPED_PATHS],
  },
  ask: { timeout: '5m' },
  limits: { timeout: '1h', idleTimeout: '20m', bashTimeout: '5m', maxTurns: 200, maxTokens: 1_000_000, pids: 512 },
  models: { allow: ['*'] },
  redaction: { known: true, ownSecrets: 'report' },
  projectFiles: { maxContextFileBytes: MAX_CONTEXT_FILE_BYTES, trust: false },
};

export const BUILT_IN_LAYER: Layer = fileLayer(BUILT_IN, {
  origin: 'built in',
  originOf: () => 'built in',
  labelOf: () => 'built in',
});
