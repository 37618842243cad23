import { createHash } from 'node:crypto';
import { canonicalJson } from '../lib/canonical-json.ts';
import type { ProfileName } from '../protocol/plan.ts';
import type { Policy } from '../protocol/policy.ts';
import type { RunRequest } from '../request/run-request.ts';
import { BUILT_IN_LAYER } from './built-in.ts';
import type { Layer } from './layer.ts';
import { allOf } from './load.ts';
import { type Merged, mergeLayers } from './merge.ts';
import { optionLayer } from './option-layer.ts';
import { profileLayer } from './profiles.ts';

/** The policy of a request: built in, its profile, the files (weakest first), its options. */
export function mergePolicy(request: Partial<RunRequest>, files: readonly Layer[]): Merged {
  const options = optionLayer(request);
  const named = [BUILT_IN_LAYER, ...files, options]
    .flatMap(({ settings }) => settings)
    .findLast(({ pointer }) => pointer === '/profile');
  return mergeLayers([BUILT_IN_LAYER, profileLayer(named?.value as ProfileName), ...files, options]);
}

/** As `mergePolicy`. @throws SandboxError `policy` or `usage` */
export function effectivePolicy(request: Partial<RunRequest>, files: readonly Layer[]): Policy {
  const { policy, problems } = mergePolicy(request, files);
  if (policy !== undefined) return policy;
  throw allOf(problems);
}

/** Names a policy: SHA-256 of its canonical JSON, in hex. */
export function policyDigest(policy: Policy): string {
  return createHash('sha256').update(canonicalJson(policy)).digest('hex');
}
