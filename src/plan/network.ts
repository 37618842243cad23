import { allowedAuthorities, isNearby } from '../lib/allow-host.ts';
import { GiB } from '../lib/bytes.ts';
import type { EgressLimits, NetworkPlan } from '../protocol/network.ts';
import { MAX_EGRESS_STREAMS } from '../protocol/wire.ts';
import type { RunRequest } from '../request/run-request.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

const LIMITS: EgressLimits = {
  connections: MAX_EGRESS_STREAMS,
  attempts: 10_000,
  connectionBytes: 2 * GiB,
  totalBytes: 8 * GiB,
  connectMs: 15 * SECOND,
  idleMs: 10 * MINUTE,
  connectionMs: 60 * MINUTE,
};

/** What programs inside may reach. Throws SandboxError `usage`. */
export function planNetwork({ network, allow = [] }: RunRequest): NetworkPlan {
  return {
    mode: network ?? (allow.length > 0 ? 'allow' : 'none'),
    allow: [...new Set(allow.flatMap(allowedAuthorities))],
    limits: LIMITS,
  };
}

/** What the user should know before the start, one sentence each. */
export function networkNotices({ mode, allow }: NetworkPlan): string[] {
  const nearby = allow.filter(isNearby);
  return [
    ...(mode === 'open'
      ? [
          'Programs inside may reach every public address: what the agent has read can be sent anywhere (--network open).',
        ]
      : []),
    ...(nearby.length > 0
      ? [
          `${nearby.join(', ')}: inside, this means the host of the sandbox and its network, for programs that use the proxy.`,
        ]
      : []),
  ];
}
