import { SandboxError } from '../errors.ts';
import type { EngineFacts } from './engine.ts';

/**
 * Throws SandboxError `usage` when the engine has no such runtime. Names with a dot or slash are left to the engine: some
 * take a shim or a file that no list of theirs holds.
 */
export function requireRuntime({ runtimes, endpoint }: EngineFacts, name: string | undefined): void {
  if (name === undefined || runtimes.includes(name) || /[./]/.test(name)) return;
  throw new SandboxError('usage', `The engine at ${endpoint} has no runtime ${name}; it has ${runtimes.join(', ')}.`, {
    hint: 'Leave --runtime out, or register the runtime with the engine.',
  });
}
