import { SandboxError } from '../errors.ts';
import { MiB } from '../lib/bytes.ts';
import { formatBytes } from '../lib/format.ts';
import { GUEST, uidPair } from '../protocol/guest.ts';
import type { PlannedModel } from '../protocol/model.ts';
import type { ContainerPlan, RunPlan, TmpfsPlan, WorkspaceMode } from '../protocol/plan.ts';
import type { Policy, PolicyLimits } from '../protocol/policy.ts';
import type { ContextFile, PiFolder } from '../protocol/project-files.ts';
import type { RunRequest } from '../request/run-request.ts';
import { containerSpec } from './container-spec.ts';
import { limitsFor } from './limits.ts';
import { serverNotices } from './mcp-servers.ts';
import { moneyLimit } from './money-limit.ts';
import { networkNotices, planNetwork } from './network.ts';
import { piCommand } from './pi-command.ts';
import { PROFILE_WRITES } from './profiles.ts';
import { chooseProjectFiles } from './project-files.ts';
import { largestWorkspace, leastWorkspace, type Sizes, sizesFor } from './sizes.ts';
import { checkAcceptWeaker } from './weaker-fields.ts';

/** The image, as far as the plan depends on it. */
export interface ImageFactsForPlan {
  readonly name: string;
  /** Its search path for commands: with a toolchain of the user's own it is not the usual one. */
  readonly path: string;
  /** Whether names such as localhost resolve without /etc/hosts. */
  readonly knowsLocalhost: boolean;
  /** SHA-256, in hex, of the guard that this version puts into images. */
  readonly guardSha256: string;
}

/** What the host found out before planning. The plan itself looks at nothing. */
export interface HostFacts {
  readonly run: string;
  readonly slot: number;
  readonly image: ImageFactsForPlan;
  readonly labels: Readonly<Record<string, string>>;
  readonly promptSha256: string;
  readonly model: PlannedModel;
  /** What the request and the policy files come to: everything that both can say is taken from here. */
  readonly policy: Policy;
  readonly policySha256: string;
  /** Whether somebody can be asked about tool calls. */
  readonly canAsk: boolean;
  readonly engine: { readonly cpus: number; readonly memory: number; readonly local: boolean };
  readonly repository: {
    readonly root: string;
    readonly files: number;
    /** Files, folders and links. */
    readonly entries: number;
    readonly bytes: number;
    readonly contextFiles: readonly ContextFile[];
    readonly piFolders: readonly PiFolder[];
    readonly notices: readonly string[];
  };
}

/** A file that a tool writes may be this large in any case, bytes. */
const LEAST_FILE_SIZE = 256 * MiB;
const BOOT_CPUS = 2;
/** With less than this, the bridge and pi do not start: memory in bytes, processes and threads. */
const LEAST_MEMORY = 256 * MiB;
const LEAST_PIDS = 64;

/** Decides everything about a run. Pure: equal requests and facts give equal plans. Throws SandboxError `usage`. */
export function makePlan(request: RunRequest, facts: HostFacts): RunPlan {
  const { policy } = facts;
  const notices = [...facts.repository.notices];
  const mode = chooseMode(facts, notices);
  const measured = mode === 'copy' ? facts.repository : { files: 0, entries: 0, bytes: 0 };
  const sizes = sizesFor(measured, policy.limits, facts.engine.memory);
  checkLeast(policy, 'memory', LEAST_MEMORY);
  checkLeast(policy, 'pids', LEAST_PIDS);
  checkCpus(facts);
  checkRoom(facts, mode, sizes);
  if (!sizes.inMemory) {
    notices.push(
      'The workspace is too large for memory and lies on a disk volume: the engine has no quota for it, so its size is watched.',
    );
  }
  const project = chooseProjectFiles(facts, mode);
  const network = planNetwork(request);
  notices.push(...project.notices, ...serverNotices(policy.mcp.servers), ...networkNotices(network));
  const container = planContainer(request, facts, mode, sizes, project.covered, network.mode !== 'none');
  checkAcceptWeaker(request.acceptWeaker ?? [], containerSpec(container));
  const limits = limitsFor(policy, sizes, moneyLimit(facts, placeName(policy, '/limits/maxUsd', '--max-usd'), notices));
  return {
    v: 1,
    run: facts.run,
    profile: policy.profile,
    policy: { sha256: facts.policySha256, layers: policy.layers },
    prompt: { bytes: Buffer.byteLength(request.prompt), sha256: facts.promptSha256 },
    model: facts.model,
    workspace: {
      mode,
      root: facts.repository.root,
      path: sizes.inMemory ? GUEST.workspace : GUEST.volumeWorkspace,
      include: policy.workspace.include,
      exclude: policy.workspace.exclude,
      contextFiles: project.contextFiles,
      trusted: project.trusted,
      files: facts.repository.files,
      bytes: facts.repository.bytes,
    },
    network,
    container,
    pi: piCommand({
      model: facts.model,
      network,
      tools: policy.tools.names,
      mcpServers: policy.mcp.servers,
      contextFiles: project.contextFiles,
      trusted: project.trusted,
      thinking: request.thinking,
      path: facts.image.path,
      guardSha256: facts.image.guardSha256,
      askMs: facts.canAsk ? policy.ask.timeoutMs : 0,
      limits,
    }),
    limits,
    acceptWeaker: request.acceptWeaker ?? [],
    keepOutputs: request.keepOutputs ?? false,
    notices,
  };
}

function chooseMode(facts: HostFacts, notices: string[]): WorkspaceMode {
  const { profile, workspace } = facts.policy;
  const writes = PROFILE_WRITES[profile];
  const asked = workspace.mode ?? 'copy';
  const tooLarge = leastWorkspace(facts.repository) > largestWorkspace(facts.engine.memory);
  // A mount shows everything, so it never takes the place of a copy that leaves out what the user named.
  const leavesOut = workspace.exclude.length > 0;
  if (workspace.mode === undefined && tooLarge && !writes && facts.engine.local && !leavesOut) {
    notices.push(
      'The repository is too large to copy into memory, so it is mounted read-only instead; --workspace copy copies it to disk.',
    );
    return 'mount';
  }
  if (asked === 'mount' && leavesOut) {
    const name = placeName(facts.policy, '/workspace/exclude/0', '--exclude');
    throw new SandboxError('usage', `A mount shows the whole repository, so ${name} can have no effect on it.`, {
      hint: `Use --workspace copy, or leave ${name} out.`,
    });
  }
  if (asked === 'mount' && !facts.engine.local) {
    throw new SandboxError('usage', 'The workspace mode "mount" needs an engine on this machine; this one is remote.', {
      hint: 'Use --workspace copy.',
    });
  }
  if (asked === 'mount' && writes) {
    notices.push('The repository is mounted read-only: the tools that change files will fail on it.');
  }
  return asked;
}

function checkLeast(policy: Policy, limit: 'memory' | 'pids', least: number): void {
  const asked = policy.limits[limit];
  if (asked === undefined || asked >= least) return;
  const name = limitName(policy, limit);
  throw new SandboxError('usage', `With ${name} ${asked} pi could not start; it takes ${least} at least.`, {
    hint: `Raise ${name}, or leave it out.`,
  });
}

function checkCpus({ policy, engine }: HostFacts): void {
  const asked = policy.limits.cpus;
  if (asked === undefined || asked <= engine.cpus) return;
  const name = limitName(policy, 'cpus');
  throw new SandboxError('usage', `The engine has ${engine.cpus} processors; ${name} ${asked} asks for more.`, {
    hint: `Lower ${name}, or leave it out.`,
  });
}

function limitName(policy: Policy, limit: keyof PolicyLimits): string {
  return placeName(policy, `/limits/${limit}`, `--${limit}`);
}

/** Where the user wrote it: an option, or a place in a policy file. */
function placeName({ origins }: Policy, pointer: string, option: string): string {
  const origin = origins[pointer] ?? option;
  if (origin.endsWith(option)) return option;
  return `${pointer
    .slice(1)
    .replace(/\/\d+$/, '')
    .replaceAll('/', '.')} (${origin})`;
}

function checkRoom(facts: HostFacts, mode: WorkspaceMode, sizes: Sizes): void {
  if (mode === 'copy' && leastWorkspace(facts.repository) > sizes.workspace) {
    throw new SandboxError(
      'usage',
      `The repository needs ${formatBytes(leastWorkspace(facts.repository))}, and ${limitName(facts.policy, 'disk')} allows ${formatBytes(sizes.workspace)}.`,
      { hint: 'Raise it, or leave parts out with --exclude.' },
    );
  }
  if (sizes.memory > facts.engine.memory) {
    throw new SandboxError(
      'usage',
      `The engine has ${formatBytes(facts.engine.memory)} of memory; ${formatBytes(sizes.memory)} are asked for.`,
      {
        hint: 'Lower --memory or --disk.',
      },
    );
  }
}

function planContainer(
  request: RunRequest,
  facts: HostFacts,
  mode: WorkspaceMode,
  sizes: Sizes,
  covered: readonly string[],
  egress: boolean,
): ContainerPlan {
  const { limits } = facts.policy;
  const { bridge, agent } = uidPair(facts.slot);
  const own = { uid: agent, mode: '0700' };
  const onDisk = mode === 'copy' && !sizes.inMemory;
  const workspace: TmpfsPlan[] =
    mode === 'copy'
      ? onDisk
        ? []
        : [{ path: GUEST.workspace, size: sizes.workspace, inodes: sizes.workspaceInodes, exec: true, ...own }]
      : covered.map((name) => ({
          path: `${GUEST.workspace}/${name}`,
          size: MiB,
          inodes: 16,
          mode: '0555',
          exec: false,
          readOnly: true,
        }));
  return {
    image: facts.image.name,
    networkDisabled: facts.image.knowsLocalhost,
    egress,
    ...(request.runtime === undefined ? {} : { runtime: request.runtime }),
    slot: facts.slot,
    bridgeUid: bridge,
    agentUid: agent,
    labels: { ...facts.labels },
    memory: sizes.memory,
    // Two processors while pi starts save a tenth of a second; more than there are would be refused.
    bootCpus: Math.min(Math.max(BOOT_CPUS, limits.cpus ?? 0), facts.engine.cpus),
    cpus: Math.min(limits.cpus ?? BOOT_CPUS, facts.engine.cpus),
    pids: limits.pids,
    openFiles: 16_384,
    fileSize: Math.max(sizes.workspace, LEAST_FILE_SIZE),
    tmpfs: [
      { path: '/tmp', size: sizes.temp, inodes: 16_384, mode: '1777', exec: true },
      // Apart from the commands' /tmp, so that a full /tmp cannot keep pi from writing a command's output.
      { path: GUEST.spill, size: sizes.spill, inodes: 1_024, exec: false, ...own },
      { path: GUEST.home, size: sizes.home, inodes: 16_384, exec: true, ...own },
      ...workspace,
    ],
    ...(onDisk ? { volume: { name: `pi-sandbox-${facts.run}`, target: GUEST.volume, size: sizes.workspace } } : {}),
    ...(mode === 'mount' ? { bind: { source: facts.repository.root, target: GUEST.workspace } } : {}),
  };
}
