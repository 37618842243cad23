import type { IncomingMessage } from 'node:http';
import { type Authority, parseAuthority } from '../lib/authority.ts';
import { valuesOf } from './headers.ts';
import { EgressRefusal } from './refusal.ts';

/** Where CONNECT wants to go. @throws EgressRefusal */
export function tunnelTarget(text: string): Authority {
  return authorityOf(text);
}

/** Where a plain request wants to go, and what it asks for there, undecoded. @throws EgressRefusal */
export function plainTarget(req: IncomingMessage): { target: Authority; path: string } {
  const url = req.url ?? '';
  const parts = /^([A-Za-z][A-Za-z0-9+.-]*):\/\/([^/?#\\]*)([^#\\]*)$/.exec(url);
  if (parts === null) {
    throw new EgressRefusal(
      'form',
      'This is a proxy: it takes CONNECT HOST:PORT, or a request with a whole http:// address.',
    );
  }
  const [, scheme = '', authority = '', rest = ''] = parts;
  if (scheme.toLowerCase() !== 'http') {
    throw new EgressRefusal('scheme', 'Only http:// addresses are taken here; https goes through CONNECT.');
  }
  if (valuesOf(req.rawHeaders, 'upgrade').includes('websocket')) {
    throw new EgressRefusal('upgrade', 'A plain request cannot become a WebSocket here; one goes through CONNECT.');
  }
  const framing = valuesOf(req.rawHeaders, 'transfer-encoding');
  if (framing.length > 1 || (framing.length === 1 && framing[0] !== 'chunked')) {
    throw new EgressRefusal('framing', 'The body is sent in an encoding that this proxy does not pass on.');
  }
  return { target: authorityOf(authority, 80), path: rest.startsWith('/') ? rest : `/${rest}` };
}

function authorityOf(text: string, defaultPort?: number): Authority {
  const found = parseAuthority(text, defaultPort);
  if ('problem' in found) throw new EgressRefusal('host', `What is to be reached ${found.problem}.`);
  return found;
}
