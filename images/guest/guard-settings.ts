import { GUARD_ENV, type GuardLimits } from '../../src/protocol/guest.ts';

export interface GuardSettings {
  /** The model entry for pi, passed on as it is. */
  readonly model: Record<string, unknown>;
  readonly limits: GuardLimits;
  /** MCP servers by name, passed on as they are. */
  readonly mcpServers: Record<string, unknown>;
  /** Variables that commands get and pi itself does not. */
  readonly ownEnv: Record<string, string>;
}

const LIMIT_NAMES = [
  'bashTimeoutSeconds',
  'spillBytesPerCall',
  'spillBytesPerRun',
  'spillReserveBytes',
  'gateTimeoutMs',
] as const;

/** What the controller set for this run. Throws, and so ends pi at its start, when anything is missing or odd. */
export function guardSettings(env: NodeJS.ProcessEnv): GuardSettings {
  const limits = objectIn(env, GUARD_ENV.limits);
  const values = LIMIT_NAMES.map((name) => {
    const value = limits[name];
    if (typeof value !== 'number' || !Number.isFinite(value) || value < 0) {
      throw new Error(`pi-sandbox: ${GUARD_ENV.limits} has no usable ${name}`);
    }
    return [name, value] as const;
  });
  const model = objectIn(env, GUARD_ENV.model);
  if (typeof model['id'] !== 'string' || model['id'] === '')
    throw new Error(`pi-sandbox: ${GUARD_ENV.model} names no model`);
  const mcpServers = env[GUARD_ENV.mcpServers] === undefined ? {} : objectIn(env, GUARD_ENV.mcpServers);
  const ownEnv = env[GUARD_ENV.commandEnv] === undefined ? {} : textsIn(env, GUARD_ENV.commandEnv);
  return {
    model,
    mcpServers,
    ownEnv,
    limits: Object.fromEntries(values) as Record<(typeof LIMIT_NAMES)[number], number>,
  };
}

function objectIn(env: NodeJS.ProcessEnv, name: string): Record<string, unknown> {
  const value: unknown = JSON.parse(env[name] ?? 'null');
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`pi-sandbox: ${name} is not set`);
  return value as Record<string, unknown>;
}

function textsIn(env: NodeJS.ProcessEnv, name: string): Record<string, string> {
  const values = objectIn(env, name);
  if (!Object.values(values).every((value) => typeof value === 'string')) throw new Error(`pi-sandbox: ${name} is odd`);
  return values as Record<string, string>;
}
