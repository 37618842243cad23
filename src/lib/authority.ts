import { domainToASCII } from 'node:url';
import { canonicalAddress } from './ip-address.ts';

/** A host and a port in their one form: names in lower case without a final dot, IPv6 addresses without brackets. */
export interface Authority {
  readonly host: string;
  readonly port: number;
  /** Whether the host is an IP address. */
  readonly literal: boolean;
}

/** What is wrong with a text that should be `HOST` or `HOST:PORT`, as the end of a sentence. */
export interface NoAuthority {
  readonly problem: string;
}

const MAX_CHARS = 300;
const MAX_NAME_CHARS = 253;
/** Underscores are no part of host names, and there are hosts with them. */
const LABEL = /^[a-z0-9_]([a-z0-9_-]{0,61}[a-z0-9_])?$/;

/**
 * Takes `HOST` or `HOST:PORT` apart. Strict: what two programs could read in two ways is refused, not repaired. Only
 * ASCII; names in other scripts have to be written as `xn--...`.
 */
export function parseAuthority(text: string, defaultPort?: number): Authority | NoAuthority {
  if (text === '' || text.length > MAX_CHARS) return { problem: 'is empty or too long' };
  if (/[^\x21-\x7e]/.test(text)) return { problem: 'has characters that no host has' };
  if (text.includes('@')) return { problem: 'has a user name in it' };
  if (text.includes('%')) return { problem: 'has percent signs in it' };
  const parts = /^(\[[^[\]]*\]|[^:[\]]*)(?::(\d{1,5}))?$/.exec(text);
  if (parts === null) return { problem: 'is not HOST:PORT (IPv6 addresses stand in brackets)' };
  const [, host = '', digits] = parts;
  const port = digits === undefined ? defaultPort : portOf(digits);
  if (port === undefined) return { problem: digits === undefined ? 'has no port' : 'has no port from 1 to 65535' };
  const found = host.startsWith('[') ? bracketed(host) : named(host);
  return 'problem' in found ? found : { ...found, port };
}

/** `host:port`, with brackets around an IPv6 address. */
export function authorityText({ host, port }: Pick<Authority, 'host' | 'port'>): string {
  return `${host.includes(':') ? `[${host}]` : host}:${port}`;
}

function portOf(digits: string): number | undefined {
  const port = Number(digits);
  return /^[1-9]/.test(digits) && port < 65_536 ? port : undefined;
}

function bracketed(host: string): { host: string; literal: true } | NoAuthority {
  const inside = host.slice(1, -1);
  const address = inside.includes(':') ? canonicalAddress(inside) : undefined;
  return address === undefined ? { problem: 'has no IPv6 address in its brackets' } : { host: address, literal: true };
}

function named(text: string): { host: string; literal: boolean } | NoAuthority {
  const host = text.toLowerCase().replace(/\.$/, '');
  if (canonicalAddress(host) !== undefined) return { host, literal: true };
  const labels = host.split('.');
  if (host.length > MAX_NAME_CHARS || !labels.every((label) => LABEL.test(label))) {
    return { problem: 'is no host name' };
  }
  // `127.1`, `0x7f000001` and `2130706433` are addresses to some programs and names to others.
  if (/^(\d+|0x[0-9a-f]*)$/.test(labels.at(-1) ?? ''))
    return { problem: 'is an IP address in a form that is not taken' };
  // What stands behind `xn--` may be no name at all, or that of another spelling.
  if (host.includes('xn--') && domainToASCII(host) !== host) return { problem: 'is no host name' };
  return { host, literal: false };
}
