import { request } from 'node:http';
import type { GateAnswer, GateRequest } from '../../src/protocol/gate.ts';
import { GATE_PATH, GATEWAY_PORT } from '../../src/protocol/wire.ts';
import { readAnswer } from './gate-answer.ts';

/** Largest answer, bytes: changed arguments. */
const MAX_ANSWER_BYTES = 8 * 1024 * 1024;

/**
 * Asks the host about a call. Rejects with a reason in words when there is no answer that can be acted upon: the caller
 * blocks the call then.
 */
export function askHost(
  question: GateRequest,
  options: { timeoutMs: number; signal?: AbortSignal | undefined; port?: number },
): Promise<GateAnswer> {
  const { timeoutMs, signal, port = GATEWAY_PORT } = options;
  const body = JSON.stringify(question);
  return new Promise((resolve, reject) => {
    const asked = request(
      {
        host: '127.0.0.1',
        port,
        path: GATE_PATH,
        method: 'POST',
        // Each answer closes its connection, and a pool would wait for others.
        agent: false,
        headers: { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) },
      },
      (response) => {
        const pieces: Buffer[] = [];
        let bytes = 0;
        response.on('data', (piece: Buffer) => {
          bytes += piece.length;
          if (bytes > MAX_ANSWER_BYTES) end(new Error('its answer is too long'));
          else pieces.push(piece);
        });
        response.on('error', () => end(new Error('the connection to it broke')));
        response.on('end', () => {
          if (!response.complete) return end(new Error('the connection to it broke'));
          if (response.statusCode !== 200) return end(new Error(`it refused the question (${response.statusCode})`));
          try {
            end(readAnswer(Buffer.concat(pieces).toString('utf8')));
          } catch (error) {
            end(error as Error);
          }
        });
      },
    );
    const timer = setTimeout(() => end(new Error(`it gave no answer within ${timeoutMs / 1000} s`)), timeoutMs);
    const aborted = (): void => end(new Error('the turn was aborted'));
    const end = (result: GateAnswer | Error): void => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', aborted);
      if (result instanceof Error) {
        asked.destroy();
        reject(result);
      } else resolve(result);
    };
    asked.on('error', (error) => end(new Error(`it cannot be reached (${error.message})`)));
    signal?.addEventListener('abort', aborted, { once: true });
    if (signal?.aborted) aborted();
    else asked.end(body);
  });
}
