import { KiB, MiB } from '../lib/bytes.ts';
import type { RunLimits } from '../protocol/plan.ts';
import type { Policy } from '../protocol/policy.ts';
import type { Sizes } from './sizes.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Room left in the spill folder, so that pi's own writes never meet a full disk. */
export const SPILL_RESERVE = 4 * MiB;

/**
 * The guard's wait for the host's word, beside the time in which somebody may be asked. Longer than a controller may stand
 * still before its run ends, so that a shorter standstill blocks no call.
 */
export const GATE_TIMEOUT_MS = 16 * SECOND;

/** Hard caps. All of them but that of money exist in every run; the policy can only choose other values. `costUsd` in US dollars. */
export function limitsFor({ limits: wanted }: Policy, sizes: Sizes, costUsd: number | undefined): RunLimits {
  return {
    wallMs: wanted.timeoutMs,
    bootMs: MINUTE,
    idleMs: wanted.idleTimeoutMs,
    // The longest legitimate line of pi 1.6.0 measured 6.9 MB.
    lineBytes: 16 * MiB,
    streamBytes: 1024 * MiB,
    transcriptBytes: 64 * MiB,
    stderrBytes: 64 * KiB,
    bashTimeoutSeconds: Math.ceil(wanted.bashTimeoutMs / SECOND),
    spillBytesPerCall: 8 * MiB,
    spillBytesPerRun: Math.min(40 * MiB, sizes.spill - 2 * SPILL_RESERVE),
    gateway: {
      requests: wanted.maxTurns,
      concurrentCalls: 4,
      requestBytes: 32 * MiB,
      totalRequestBytes: 1024 * MiB,
      outputTokensPerCall: 64_000,
      outputTokens: wanted.maxTokens,
      ...(costUsd === undefined ? {} : { costUsd }),
      idleMs: 10 * MINUTE,
    },
  };
}
