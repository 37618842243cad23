import { request as httpRequest, type IncomingMessage, type ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { type Authority, authorityText } from '../lib/authority.ts';
import { answerHeaders, requestHeaders } from './headers.ts';
import type { Meter } from './meter.ts';
import { EgressRefusal } from './refusal.ts';

export interface PlainRequest {
  readonly req: IncomingMessage;
  readonly res: ServerResponse;
  readonly target: Authority;
  /** Path and query as they were sent: nothing is decoded or put in order. */
  readonly path: string;
}

/**
 * Sends one plain HTTP request on over a connection that stands, and its answer back. A redirect is an answer like any
 * other: where it leads is the client's next attempt. Rejects when either side breaks; what was sent until then stays sent.
 */
export async function passOn(asked: PlainRequest, socket: Socket, meter: Meter): Promise<void> {
  const { req, res, target, path } = asked;
  const client: Duplex = req.socket;
  const cut = (): void => {
    socket.resetAndDestroy();
    client.destroy(new Error('the connection was cut'));
  };
  const gone = (): void => {
    if (!res.writableFinished) meter.cut('client');
  };
  client.once('close', gone);
  meter.signal.addEventListener('abort', cut, { once: true });
  const method = req.method ?? 'GET';
  const sent = httpRequest({
    method,
    path,
    headers: requestHeaders(req.rawHeaders, method, target),
    setHost: false,
    createConnection: () => socket,
  });
  try {
    const answered = new Promise<IncomingMessage>((resolve, reject) => {
      sent.once('response', resolve);
      sent.on('error', reject);
      sent.once('close', () => reject(new Error('closed without an answer')));
    });
    answered.catch(() => {});
    if (/^100-continue$/i.test(req.headers.expect ?? '')) res.writeContinue();
    // An answer may come before the request is complete, and be the end of it.
    const body = pipeline(req, meter.way('sent'), sent);
    body.catch(() => {});
    const answer = await answered.catch(() => {
      throw new EgressRefusal('unreachable', `${authorityText(target)} may be reached, but gave no answer.`);
    });
    answer.once('error', () => meter.cut('broken'));
    res.sendDate = false;
    res.writeHead(answer.statusCode ?? 502, answer.statusMessage, answerHeaders(answer.rawHeaders));
    await pipeline(answer, meter.way('received'), res);
  } finally {
    client.off('close', gone);
    meter.signal.removeEventListener('abort', cut);
    sent.destroy();
    socket.destroy();
  }
}
