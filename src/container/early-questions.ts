import http from 'node:http';
import type { Endpoint } from './endpoint.ts';

/** Longest answer that is taken, bytes, and the longest wait for it, milliseconds. */
const MAX_BYTES = 1 << 20;
const WAIT_MS = 10_000;

/** What an engine says about itself, unparsed; undefined where it gave no usable answer. */
export interface EarlyAnswers {
  readonly version: Promise<unknown>;
  readonly info: Promise<unknown>;
}

/**
 * Asks the engine at a socket about itself before its client is loaded. The engine takes as long for the answers (it
 * runs its own helpers) as loading takes. A question that fails is asked again by the client, which says why.
 */
export function askEarly({ address }: Endpoint): EarlyAnswers | undefined {
  if (address.kind !== 'socket') return undefined;
  return { version: ask(address.path, '/version'), info: ask(address.path, '/info') };
}

function ask(socketPath: string, path: string): Promise<unknown> {
  return new Promise((resolve) => {
    const fail = (): void => {
      request.destroy();
      resolve(undefined);
    };
    const request = http.get({ socketPath, path, timeout: WAIT_MS }, (response) => {
      const parts: Buffer[] = [];
      let bytes = 0;
      response.on('data', (part: Buffer) => {
        parts.push(part);
        bytes += part.length;
        if (bytes > MAX_BYTES) fail();
      });
      response.on('error', fail);
      response.on('end', () => resolve(response.statusCode === 200 ? parsed(Buffer.concat(parts)) : undefined));
    });
    request.on('timeout', fail);
    request.on('error', fail);
  });
}

function parsed(bytes: Buffer): unknown {
  try {
    return JSON.parse(bytes.toString('utf8'));
  } catch {
    return undefined;
  }
}
