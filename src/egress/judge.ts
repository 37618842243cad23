import { canBeAllowed } from '../lib/allow-host.ts';
import { type Authority, authorityText } from '../lib/authority.ts';
import { addressKind, canonicalAddress } from '../lib/ip-address.ts';
import type { NetworkPlan } from '../protocol/network.ts';
import { EgressRefusal } from './refusal.ts';

/** What `localhost` stands for here, whatever the host's resolver says. */
const LOOPBACK = ['127.0.0.1', '::1'] as const;
/** In place of what a resolver gave and what is no address; of no kind that may be reached. */
const NO_ADDRESS = '';
/** Addresses of a name that are tried. */
const MAX_ADDRESSES = 4;

/** The rule that lets a target pass. Looks at no address yet. @throws EgressRefusal */
export function ruleFor(target: Authority, { mode, allow }: NetworkPlan): string {
  const text = authorityText(target);
  if (allow.includes(text)) return `allow ${text}`;
  if (mode === 'open') return 'network open';
  const how = canBeAllowed(text) ? ` It takes --allow ${text} on the command line of pi-sandbox.` : '';
  throw new EgressRefusal('not_allowed', `${text} is not among what this run may reach.${how}`, `network ${mode}`);
}

/** Looks a name up. Rejects, or gives nothing, when it has no address. */
export type Resolve = (host: string) => Promise<readonly string[]>;

/**
 * The addresses of a target that may be connected to. They are what the connection is made to: the name is not looked
 * up again. An address that is not public is taken only where the user allowed that very address and port.
 * @throws EgressRefusal
 */
export async function addressesOf(
  target: Authority,
  plan: NetworkPlan,
  { resolve, ownAddresses }: { resolve: Resolve; ownAddresses: () => readonly string[] },
): Promise<readonly string[]> {
  const text = authorityText(target);
  const found = await lookUp(target, resolve);
  if (found.length === 0) {
    throw new EgressRefusal('no_address', `${target.host} has no address, as far as the host of this sandbox knows.`);
  }
  const own = new Set(ownAddresses().map((address) => canonicalAddress(address)));
  const usable = found.filter((address) => {
    if (plan.allow.includes(authorityText({ host: address, port: target.port }))) return true;
    if (target.host === 'localhost' && plan.allow.includes(text)) return true;
    return addressKind(address) === 'public' && !own.has(address);
  });
  if (usable.length > 0) return usable.slice(0, MAX_ADDRESSES);
  throw new EgressRefusal(
    'address',
    `${text} is an address of this machine, of a private network or of a special kind; such a one is reached only where ` +
      'it is allowed by itself: --allow ADDRESS:PORT.',
  );
}

async function lookUp({ host, literal }: Authority, resolve: Resolve): Promise<readonly string[]> {
  if (literal) return [host];
  if (host === 'localhost') return LOOPBACK;
  const found = await resolve(host).catch(() => []);
  return found.map((address) => canonicalAddress(address) ?? NO_ADDRESS);
}
