import { domainToASCII } from 'node:url';
import { SandboxError } from '../errors.ts';
import { type Authority, authorityText, parseAuthority } from './authority.ts';
import { addressKind } from './ip-address.ts';

/** The ports of a host that is allowed without one. */
const DEFAULT_PORTS = [443, 80] as const;

/**
 * One `--allow HOST[:PORT]`: every `host:port` that it stands for, in the form in which they are compared.
 * @throws SandboxError `usage`
 */
export function allowedAuthorities(text: string): readonly string[] {
  const refuse = (why: string, hint: string): SandboxError =>
    new SandboxError('usage', `--allow ${text}: ${why}.`, { hint });
  if (text.includes('*')) {
    throw refuse('hosts are allowed one by one, without wildcards', 'Repeat --allow for each host.');
  }
  if (/[/\\?#]/.test(text)) {
    throw refuse(
      'this is an address of a page, not a host',
      'Give HOST or HOST:PORT, for example registry.example.org.',
    );
  }
  const found = parseAuthority(asciiHost(text), 0);
  if ('problem' in found)
    throw refuse(`it ${found.problem}`, 'Give HOST or HOST:PORT, for example registry.example.org.');
  const kind = found.literal ? addressKind(found.host) : found.host === 'localhost' ? 'loopback' : 'public';
  if (kind === 'special') throw refuse('nothing can be allowed to go to this address', 'Leave it out.');
  if (kind !== 'public' && found.port === 0) {
    throw refuse('a service of this machine or of a private network needs its port', `Give --allow ${text}:PORT.`);
  }
  const ports: readonly number[] = found.port === 0 ? DEFAULT_PORTS : [found.port];
  return ports.map((port) => authorityText({ host: found.host, port }));
}

/**
 * Whether a refused `host:port` belongs on a list of what would have been needed: a public one. What is near by is named
 * by the user alone, and never because a program asked for it.
 */
export function canBeAllowed(authority: string): boolean {
  return !('problem' in parseAuthority(authority)) && !isNearby(authority);
}

/** Whether an allowed `host:port` is a service of this machine or of one of its networks, named by its address. */
export function isNearby(authority: string): boolean {
  const found = parseAuthority(authority);
  return !('problem' in found) && (found.host === 'localhost' || kindOf(found) !== 'public');
}

function kindOf({ host, literal }: Authority): ReturnType<typeof addressKind> {
  return literal ? addressKind(host) : 'public';
}

/** A host name in another script, as it is written in the DNS. */
function asciiHost(text: string): string {
  if (/^[\x20-\x7e]*$/.test(text)) return text;
  const [, host = '', port = ''] = /^(.*?)(:\d*)?$/s.exec(text) ?? [];
  return `${domainToASCII(host)}${port}`;
}
