import { SandboxError } from '../../src/errors.ts';
import { GiB } from '../../src/lib/bytes.ts';
import { type HostFacts, makePlan as planFrom } from '../../src/plan/make-plan.ts';
import { effectivePolicy } from '../../src/policy/effective.ts';
import { LABEL } from '../../src/protocol/labels.ts';
import type { RunPlan } from '../../src/protocol/plan.ts';
import type { RunRequest } from '../../src/request/run-request.ts';

export const REQUEST: RunRequest = { repo: '/home/user/project', prompt: 'Find the bug.', model: 'anthropic/claude' };

/** What a host with a small repository and a small engine finds out. */
export function hostFacts({ repository = {}, ...rest }: FactOverrides = {}): FactsWithoutPolicy {
  return {
    run: '20260102T030405-abcdef',
    slot: 7,
    image: {
      name: 'pi-sandbox:0.1.0-0123456789ab',
      path: '/usr/bin:/bin',
      knowsLocalhost: true,
      guardSha256: 'a'.repeat(64),
    },
    labels: { [LABEL.run]: '20260102T030405-abcdef', [LABEL.installation]: 'i', [LABEL.slot]: '7' },
    promptSha256: '0'.repeat(64),
    model: {
      spec: REQUEST.model,
      provider: 'anthropic',
      id: 'claude',
      name: 'Claude',
      api: 'anthropic-messages',
      reasoning: true,
      input: ['text', 'image'],
      contextWindow: 200_000,
      maxTokens: 64_000,
    },
    engine: { cpus: 4, memory: 16 * GiB, local: true },
    repository: {
      root: REQUEST.repo,
      files: 100,
      entries: 120,
      bytes: 1_000_000,
      contextFiles: [],
      piFolders: [],
      notices: [],
      ...repository,
    },
    ...rest,
  };
}

/** The plan of a request that no policy file has a say in. */
export function makePlan(request: RunRequest, facts: FactsWithoutPolicy): RunPlan {
  return planFrom(request, {
    ...facts,
    policy: effectivePolicy(request, []),
    policySha256: '1'.repeat(64),
    canAsk: false,
  });
}

type FactsWithoutPolicy = Omit<HostFacts, 'policy' | 'policySha256' | 'canAsk'>;
type FactOverrides = Partial<Omit<FactsWithoutPolicy, 'repository'>> & {
  repository?: Partial<HostFacts['repository']>;
};

/** The refusal that the work ends with. */
export function refusal(work: () => unknown): SandboxError {
  try {
    work();
  } catch (error) {
    if (error instanceof SandboxError) return error;
    throw error;
  }
  throw new Error('Nothing was refused.');
}
