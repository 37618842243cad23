import { isIP } from 'node:net';
import { SandboxError } from '../../errors.ts';

const DEFAULT_PORTS: Readonly<Record<string, string>> = { 'http:': '80', 'https:': '443' };

/**
 * The proxy that the user's environment names for an address, as curl and pi read it: `https_proxy`, `http_proxy`, `all_proxy` in
 * either case, and `no_proxy`. Never for this machine itself, which a proxy elsewhere would take for its own.
 *
 * @throws SandboxError `model` for a proxy that cannot be used
 */
export function proxyFor(target: URL, env: (name: string) => string | undefined): URL | undefined {
  const either = (name: string): string | undefined => env(name) || env(name.toUpperCase());
  if (isLoopback(target.hostname)) return undefined;
  const name = `${target.protocol.slice(0, -1)}_proxy`;
  const written = either(name) ?? either('all_proxy');
  if (written === undefined || written === '' || isExempt(target, either('no_proxy') ?? '')) return undefined;
  const url = URL.parse(written.includes('://') ? written : `http://${written}`);
  if (url !== null && (url.protocol === 'http:' || url.protocol === 'https:')) return url;
  // Not repeated: it may hold a password.
  const why = url === null ? 'it is not an address' : `it is of the kind ${url.protocol}//`;
  throw new SandboxError('model', `The proxy for ${target.host} that your environment names cannot be used: ${why}.`, {
    hint: `Set ${name} to an http or https proxy, or name the host in no_proxy.`,
  });
}

export function isLoopback(hostname: string): boolean {
  const host = hostname.toLowerCase().replace(/^\[|\]$/g, '');
  if (host === 'localhost' || host.endsWith('.localhost') || host === '::1') return true;
  return isIP(host) === 4 && host.startsWith('127.');
}

function isExempt(target: URL, noProxy: string): boolean {
  const host = target.hostname.toLowerCase().replace(/^\[|\]$/g, '');
  const port = target.port === '' ? DEFAULT_PORTS[target.protocol] : target.port;
  return noProxy
    .toLowerCase()
    .split(/[\s,]+/)
    .some((entry) => {
      if (entry === '*') return true;
      const [, bare = '', wanted] = /^(.*?)(?::(\d+))?$/.exec(isIP(entry) === 6 ? `[${entry}]` : entry) ?? [];
      const domain = bare.replace(/^\[|\]$/g, '').replace(/^\*?\./, '');
      if (domain === '' || (wanted !== undefined && wanted !== port)) return false;
      return host === domain || host.endsWith(`.${domain}`);
    });
}
