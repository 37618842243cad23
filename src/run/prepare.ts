import { createHash, randomBytes } from 'node:crypto';
import type { Engine } from '../container/engine.ts';
import { ownedFolder } from '../container/owned-folder.ts';
import { freeSlot, ourContainers } from '../container/ownership.ts';
import { requireRuntime } from '../container/runtime.ts';
import { type ModelSource, resolveModel } from '../gateway/model-source.ts';
import { type HostFacts, makePlan } from '../plan/make-plan.ts';
import { effectivePolicy, policyDigest } from '../policy/effective.ts';
import { loadPolicyLayers } from '../policy/load.ts';
import { checkModel, checkModelName } from '../policy/models.ts';
import type { Decision, JudgedCall } from '../protocol/gate.ts';
import { LABEL } from '../protocol/labels.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { Policy } from '../protocol/policy.ts';
import type { RunRequest } from '../request/run-request.ts';
import { ensureStateRoot, newRunId, RunFolder } from '../transcript/run-folder.ts';
import { checkRoot } from '../workspace/root.ts';
import { selectFiles } from '../workspace/select.ts';
import type { Selection } from '../workspace/selection.ts';
import { gitHost } from './git-host.ts';
import type { RunHost } from './host.ts';
import { ownInstallation } from './installation.ts';
import { outsideRepository } from './pi-files.ts';
import { RunRedaction } from './redaction.ts';
import { workspaceNotices } from './workspace-notices.ts';

/** All that is known before anything is created. */
export interface Prepared {
  readonly engine: Engine;
  readonly source: ModelSource;
  readonly selection: Selection;
  readonly installation: string;
  /** The effective one, all layers merged. */
  readonly policy: Policy;
  /** Takes secrets out of whatever leaves the run. */
  readonly redaction: RunRedaction;
  /** Plans with a pair of user ids that is free right now. */
  readonly plan: () => Promise<RunPlan>;
  readonly run: string;
  /** What the policy says of a tool call. */
  readonly decide: (call: JudgedCall) => Decision | Promise<Decision>;
}

/** Looks at everything the plan depends on. Creates nothing that stays. Rejects with SandboxError. */
export async function prepare(request: RunRequest, host: RunHost, signal: AbortSignal): Promise<Prepared> {
  const run = newRunId(host.now(), randomBytes(8));
  RunFolder.checkPath(host.stateRoot, run);
  const root = await checkRoot(request.repo, { stateDir: host.stateRoot, homeDir: host.homeDir });
  const { configDir, homeDir } = host;
  const policy = effectivePolicy(request, await loadPolicyLayers({ file: request.policy, configDir, homeDir, root }));
  checkModelName(policy, request.model);
  // These take their time in different places: a socket, module loading, the disk.
  const [[engine, image], [source, redaction], selection] = await settleAll([
    host.connect().then(async (found) => [found, await host.ensureImage(found, request.image, signal)] as const),
    resolveModel(request.model, {
      env: host.env,
      cwd: host.cwd,
      ...(host.environment === undefined ? {} : { environment: host.environment }),
      ...(host.piFolder === undefined ? {} : { piFolder: host.piFolder }),
      checkFile: outsideRepository(root, homeDir),
      ...(request.baseUrl === undefined ? {} : { baseUrl: request.baseUrl }),
      ...(request.thinking === undefined ? {} : { thinking: request.thinking }),
    }).then(async (found) => {
      const source = onlyAllowed(policy, found);
      return [source, await redactionOf(request, policy, source, host, root)] as const;
    }),
    select(root, policy, host, signal),
  ]);
  signal.throwIfAborted();
  requireRuntime(engine.facts, request.runtime);
  const installation = ownInstallation(host);
  const facts: Omit<HostFacts, 'slot' | 'labels'> = {
    run,
    image,
    promptSha256: createHash('sha256').update(request.prompt).digest('hex'),
    model: source.model,
    policy,
    policySha256: policyDigest(policy),
    canAsk: host.askGate !== undefined,
    engine: { cpus: engine.facts.cpus, memory: engine.facts.memory, local: engine.facts.local },
    repository: {
      root,
      files: selection.files,
      entries: selection.entries.length,
      bytes: selection.bytes,
      contextFiles: selection.contextFiles,
      piFolders: selection.piFolders,
      notices: selection.notices,
    },
  };
  const plan = async (): Promise<RunPlan> => {
    // Another one each time: two that have given way to each other must not meet again.
    const prefer = randomBytes(1)[0] ?? 0;
    const slot = freeSlot(await ourContainers(engine), prefer);
    const labels = { [LABEL.run]: run, [LABEL.installation]: installation, [LABEL.slot]: String(slot) };
    const made = makePlan(request, { ...facts, slot, labels });
    return { ...made, notices: [...made.notices, ...(await workspaceNotices(made, selection))] };
  };
  return {
    engine,
    source,
    selection,
    installation,
    policy,
    redaction,
    plan,
    run,
    decide: decisions(policy, selection),
  };
}

/** With the shell grammar in it, which is loaded at the first word of the model and not while a start waits for it. */
function decisions(policy: Policy, selection: Selection): Prepared['decide'] {
  let loaded: Promise<(call: JudgedCall) => Decision> | undefined;
  return async (call) => {
    loaded ??= import('./decisions.ts').then(({ decisionsOf }) => decisionsOf(policy, selection));
    return (await loaded)(call);
  };
}

function onlyAllowed(policy: Policy, source: ModelSource): ModelSource {
  try {
    checkModel(policy, source.model);
    return source;
  } catch (error) {
    source.close?.();
    throw error;
  }
}

async function redactionOf(
  request: RunRequest,
  { redaction: policy }: Policy,
  source: ModelSource,
  host: RunHost,
  root: string,
): Promise<RunRedaction> {
  const redaction = await RunRedaction.create({
    policy,
    credentials: source.scrubber.secrets(),
    environment: host.environment?.() ?? {},
    noSecrets: [root, host.stateRoot, host.homeDir, host.cwd],
  });
  source.scrubber.onAdded((secrets) => redaction.learn(secrets));
  redaction.prompt(request.prompt);
  return redaction;
}

async function select(
  root: string,
  { workspace, projectFiles }: Policy,
  host: RunHost,
  signal: AbortSignal,
): Promise<Selection> {
  ensureStateRoot(host.stateRoot);
  await using scratch = await ownedFolder(host.stateRoot, 'scratch');
  return await selectFiles({
    root,
    include: workspace.include,
    exclude: workspace.exclude,
    contextFiles: projectFiles.contextFiles,
    trustProject: projectFiles.trust,
    signal,
    scratchRoot: scratch.folder,
    env: gitHost(host),
    onProgress: ({ files }) => host.progress(`Looking at ${root}: ${files} files`),
  });
}

/** Waits for all, so that nothing is left running behind, and then throws the first failure. */
async function settleAll<T extends readonly unknown[]>(work: { [K in keyof T]: Promise<T[K]> }): Promise<T> {
  const results = await Promise.allSettled(work as Promise<unknown>[]);
  for (const result of results) if (result.status === 'rejected') throw result.reason;
  return results.map((result) => (result as PromiseFulfilledResult<unknown>).value) as unknown as T;
}
