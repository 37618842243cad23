import type { IncomingMessage } from 'node:http';
import type { GATE_PATH } from '../protocol/wire.ts';
import { RefusedRequest } from './refusal.ts';

/** What a request is for: a model call, or a question about a tool call. */
export type Route = '/messages' | typeof GATE_PATH;

/**
 * Refuses everything but `POST` to one of `routes` with a JSON body. The target is compared as it came, before any
 * decoding or resolving. No header is used for anything else.
 */
export function checkHead(req: IncomingMessage, routes: readonly Route[]): Route {
  const target = req.url ?? '';
  if (!target.startsWith('/') || target.startsWith('//')) {
    throw new RefusedRequest(400, 'absolute_form', 'The request target must be a plain path.');
  }
  const route = routes.find((known) => known === target);
  if (route === undefined) throw new RefusedRequest(404, 'path', `Only ${routes.join(' and ')} is answered here.`);
  if (req.method !== 'POST') throw new RefusedRequest(405, 'method', 'Only POST is answered here.');
  if (req.headers['content-encoding'] !== undefined) {
    throw new RefusedRequest(415, 'content_encoding', 'The body must not be compressed.');
  }
  const type = req.headers['content-type']?.split(';')[0]?.trim().toLowerCase();
  if (type !== 'application/json') {
    throw new RefusedRequest(415, 'content_type', 'The body must be application/json.');
  }
  // Node's parser takes unknown transfer codings for "until the end of the connection".
  const coding = req.headers['transfer-encoding'];
  if (coding !== undefined && coding.toLowerCase() !== 'chunked') {
    throw new RefusedRequest(400, 'transfer_encoding', 'The only transfer coding known here is chunked.');
  }
  return route;
}
