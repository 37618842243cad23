import { SandboxError } from '../errors.ts';
import type { RunHost } from './host.ts';
import { RunRedaction } from './redaction.ts';

type Told = Pick<RunHost, 'environment' | 'stateRoot' | 'homeDir' | 'cwd'>;

/**
 * The same error without secrets in its words: those of a provider, a file or an engine may quote what they were given. What
 * is no SandboxError is a fault of ours and stays as it is.
 */
export async function redactedError(error: unknown, host: Told): Promise<unknown> {
  if (!(error instanceof SandboxError)) return error;
  // There may be no policy yet; the built-in one takes out the most.
  const redaction = await RunRedaction.create({
    policy: { known: true, patterns: [], ownSecrets: 'report' },
    credentials: [],
    environment: host.environment?.() ?? {},
    noSecrets: [host.stateRoot, host.homeDir, host.cwd],
  });
  const said = { message: error.message, hint: error.hint };
  const { message, hint } = redaction.json(said);
  if (message === said.message && hint === said.hint) return error;
  const { code, exitCode } = error;
  return new SandboxError(code, message, { exitCode, ...(hint === undefined ? {} : { hint }) });
}
