import { type Authority, authorityText } from '../lib/authority.ts';

/** What is between two neighbours on the way and not for the next one. */
const HOP_BY_HOP = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Of a request as well: the host is the one that was checked, and this proxy answers `Expect` by itself. */
const REQUEST_ONLY = new Set(['host', 'expect']);

const WITH_BODY = new Set(['POST', 'PUT', 'PATCH']);

/** Names and values in turn, as Node reads and writes them raw. */
export type RawHeaders = readonly string[];

/** What a target is sent: the client's headers, spelled as they were, for a connection that carries one request. */
export function requestHeaders(raw: RawHeaders, method: string, target: Authority): string[] {
  const kept = endToEnd(raw).filter(([name]) => !REQUEST_ONLY.has(name.toLowerCase()));
  const chunked = valuesOf(raw, 'transfer-encoding').length > 0;
  const sized = valuesOf(raw, 'content-length').length > 0;
  return [
    ...['Host', target.port === 80 ? authorityText(target).replace(/:80$/, '') : authorityText(target)],
    ...kept.flat(),
    ...(chunked ? ['Transfer-Encoding', 'chunked'] : []),
    ...(!chunked && !sized && WITH_BODY.has(method) ? ['Content-Length', '0'] : []),
    ...['Connection', 'close'],
  ];
}

/** What the client is sent of an answer. */
export function answerHeaders(raw: RawHeaders): string[] {
  return [...endToEnd(raw).flat(), 'Connection', 'close'];
}

/** All values of a header, in lower case. */
export function valuesOf(raw: RawHeaders, wanted: string): string[] {
  return pairs(raw)
    .filter(([name]) => name.toLowerCase() === wanted)
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((value) => value.trim());
}

function endToEnd(raw: RawHeaders): [string, string][] {
  const named = new Set(valuesOf(raw, 'connection'));
  // A client could have the length of its own body taken away.
  named.delete('content-length');
  return pairs(raw).filter(([name]) => !HOP_BY_HOP.has(name.toLowerCase()) && !named.has(name.toLowerCase()));
}

function pairs(raw: RawHeaders): [string, string][] {
  const found: [string, string][] = [];
  for (let at = 0; at + 1 < raw.length; at += 2) found.push([raw[at] ?? '', raw[at + 1] ?? '']);
  return found;
}
