import type { IncomingMessage } from 'node:http';
import { ByteBlocks } from '../lib/byte-blocks.ts';
import { RefusedRequest } from './refusal.ts';

/** From the end of the headers to the end of the body, milliseconds. */
const BODY_DEADLINE_MS = 60_000;

/** Thrown when nobody is there any more to be answered. */
export class ConnectionEnded extends Error {
  override readonly name = 'ConnectionEnded';
}

export interface BodyLimits {
  /** Bytes. */
  readonly max: number;
  /** Called for every piece before it is kept; throws when the run may not take more. */
  readonly count: (bytes: number) => void;
}

/**
 * The whole body. A body that says, or turns out, to be larger than allowed is refused before it is buffered.
 * Throws RefusedRequest `body_size` or `body_timeout`, ConnectionEnded, or what `count` throws.
 */
export async function readBody(req: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  if (Number(req.headers['content-length'] ?? 0) > limits.max) throw tooLarge(limits.max);
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(
      () => reject(new RefusedRequest(408, 'body_timeout', 'The request body did not come in time.')),
      BODY_DEADLINE_MS,
    ).unref();
  });
  try {
    const body = await Promise.race([collect(req, limits), expired]);
    if (req.socket.destroyed) throw new ConnectionEnded();
    return body;
  } finally {
    clearTimeout(timer);
    req.removeAllListeners('data');
    req.pause();
  }
}

function collect(req: IncomingMessage, limits: BodyLimits): Promise<Buffer> {
  const body = new ByteBlocks();
  return new Promise((resolve, reject) => {
    req.on('data', (piece: Buffer) => {
      try {
        if (body.bytes + piece.length > limits.max) throw tooLarge(limits.max);
        limits.count(piece.length);
      } catch (error) {
        reject(error);
        return;
      }
      body.push(piece);
    });
    req.on('end', () => resolve(body.content()));
    req.on('error', () => reject(new ConnectionEnded()));
    req.on('close', () => reject(new ConnectionEnded()));
  });
}

function tooLarge(max: number): RefusedRequest {
  // "out of budget" keeps pi from trying again.
  return new RefusedRequest(413, 'body_size', `A request body of more than ${max} bytes is out of budget.`);
}
