import { messageOf, SandboxError } from '../errors.ts';
import type { Endpoint } from './endpoint.ts';

/** An engine failure in words: what was asked, where, why it failed, what to do. */
export function engineError(what: string, endpoint: Endpoint, cause: unknown): SandboxError {
  const where = describeEndpoint(endpoint);
  const code = codeOf(cause);
  if (code === 'ENOENT' || code === 'ECONNREFUSED') {
    return new SandboxError('engine', `No container engine answers at ${where} (from ${endpoint.source}).`, {
      cause,
      hint: 'Start Docker, or point DOCKER_HOST or a Docker context at a running engine; in a clone, scripts/setup installs one.',
    });
  }
  if (code === 'EACCES' || code === 'EPERM') {
    return new SandboxError('engine', `This user may not use the container engine at ${where}.`, {
      cause,
      hint: 'Add the user to the group that owns the socket, use a rootless engine, or run as root.',
    });
  }
  return new SandboxError('engine', `The container engine at ${where} could not ${what}: ${engineText(cause)}.`, {
    cause,
  });
}

export function describeEndpoint(endpoint: Endpoint): string {
  const { address } = endpoint;
  return address.kind === 'socket' ? address.path : `${address.host}:${address.port}`;
}

/** HTTP status of an engine answer, undefined for other failures. */
export function statusOf(error: unknown): number | undefined {
  const status = (error as { statusCode?: unknown } | null)?.statusCode;
  return typeof status === 'number' ? status : undefined;
}

function codeOf(error: unknown): string | undefined {
  const code = (error as { code?: unknown } | null)?.code;
  return typeof code === 'string' ? code : undefined;
}

/** Longest text of the engine that is passed on, characters. */
const MAX_ENGINE_TEXT = 600;

function engineText(cause: unknown): string {
  const json = (cause as { json?: unknown } | null)?.json;
  const message = (json as { message?: unknown } | null)?.message;
  const text = typeof message === 'string' ? message : messageOf(cause);
  return text.trim().replace(/\.$/, '').slice(0, MAX_ENGINE_TEXT);
}
