import { type Static, Type } from '@sinclair/typebox';
import { GatewayLimits, PlannedModel } from './model.ts';
import { NetworkPlan } from './network.ts';

const strict = { additionalProperties: false } as const;
const Count = Type.Integer({ minimum: 0 });
const Positive = Type.Integer({ minimum: 1 });

export const ProfileName = Type.Union([Type.Literal('edit'), Type.Literal('review'), Type.Literal('triage')]);
export type ProfileName = Static<typeof ProfileName>;

export const WorkspaceMode = Type.Union([Type.Literal('copy'), Type.Literal('mount')]);
export type WorkspaceMode = Static<typeof WorkspaceMode>;

export const TmpfsPlan = Type.Object(
  {
    path: Type.String(),
    /** Bytes. */
    size: Positive,
    inodes: Positive,
    /** Octal, for example `0700`. */
    mode: Type.String(),
    /** Owner; root when absent. */
    uid: Type.Optional(Type.Integer()),
    exec: Type.Boolean(),
    readOnly: Type.Optional(Type.Boolean()),
  },
  strict,
);
export type TmpfsPlan = Static<typeof TmpfsPlan>;

export const ContainerPlan = Type.Object(
  {
    image: Type.String(),
    /**
     * Whether the engine is told to do without network set-up. Saves a tenth of a second, and leaves /etc/hosts empty: the
     * image must know localhost by itself.
     */
    networkDisabled: Type.Boolean(),
    /** Whether the bridge listens for programs that want out. */
    egress: Type.Boolean(),
    runtime: Type.Optional(Type.String()),
    /** Leased pair of user ids. */
    slot: Type.Integer({ minimum: 0, maximum: 63 }),
    bridgeUid: Positive,
    agentUid: Positive,
    labels: Type.Record(Type.String(), Type.String()),
    /** Bytes; equals memory and swap together, so there is no swap. */
    memory: Positive,
    /** Processors while pi starts, and after that. */
    bootCpus: Type.Number({ exclusiveMinimum: 0 }),
    cpus: Type.Number({ exclusiveMinimum: 0 }),
    pids: Positive,
    openFiles: Positive,
    /** Largest file that a process may write, bytes. */
    fileSize: Positive,
    tmpfs: Type.Array(TmpfsPlan),
    /** Read-only bind of the repository in `mount` mode: absolute host path. */
    bind: Type.Optional(Type.Object({ source: Type.String(), target: Type.String() }, strict)),
    /** Disk volume for a workspace that is too large for memory. `size` in bytes is watched, the engine has no quota. */
    volume: Type.Optional(Type.Object({ name: Type.String(), target: Type.String(), size: Positive }, strict)),
  },
  strict,
);
export type ContainerPlan = Static<typeof ContainerPlan>;

export const WorkspacePlan = Type.Object(
  {
    mode: WorkspaceMode,
    /** Real path on the host. */
    root: Type.String(),
    /** Where it is in the container. */
    path: Type.String(),
    include: Type.Array(Type.String()),
    exclude: Type.Array(Type.String()),
    /** Whether AGENTS.md and CLAUDE.md reach the model. */
    contextFiles: Type.Boolean(),
    /** Whether `.pi` and `.agents` of the repository take effect, inside. */
    trusted: Type.Boolean(),
    /** As measured before the start; they size the container. */
    files: Count,
    bytes: Count,
  },
  strict,
);
export type WorkspacePlan = Static<typeof WorkspacePlan>;

export const PiPlan = Type.Object(
  {
    argv: Type.Array(Type.String()),
    env: Type.Record(Type.String(), Type.String()),
    /** Of the guard that must be in the image, or pi is not started. */
    guardSha256: Type.String({ pattern: '^[0-9a-f]{64}$' }),
    /** Tools that pi must declare to the model: exactly these. */
    tools: Type.Array(Type.String()),
    /** Tools that `codemode` may call and `tool_search` may have pi declare later. Absent when there are none. */
    reachable: Type.Optional(Type.Array(Type.String())),
  },
  strict,
);
export type PiPlan = Static<typeof PiPlan>;

export const RunLimits = Type.Object(
  {
    /** From the start of the container to its end, milliseconds. */
    wallMs: Positive,
    /** From the start of pi to its first answer, milliseconds. */
    bootMs: Positive,
    /** Without any event of pi or the gateway, milliseconds. */
    idleMs: Positive,
    /** One line of pi's event stream, bytes. */
    lineBytes: Positive,
    /** All of pi's event stream, bytes. */
    streamBytes: Positive,
    /** `events.jsonl`, bytes. */
    transcriptBytes: Positive,
    /** What pi and the bridge say on their error streams, bytes kept. */
    stderrBytes: Positive,
    bashTimeoutSeconds: Positive,
    spillBytesPerCall: Positive,
    spillBytesPerRun: Positive,
    gateway: GatewayLimits,
  },
  strict,
);
export type RunLimits = Static<typeof RunLimits>;

/** Layers of a policy, weakest first, with the digest of each file. */
export const PolicyLayers = Type.Array(
  Type.Object({ origin: Type.String(), sha256: Type.Optional(Type.String()) }, strict),
);

/** Everything decided about a run, printable, before anything is started. */
export const RunPlan = Type.Object(
  {
    v: Type.Literal(1),
    run: Type.String(),
    profile: ProfileName,
    /** The whole of it is `policy.json` in the run folder; `sha256` is of its canonical JSON. */
    policy: Type.Object({ sha256: Type.String(), layers: PolicyLayers }, strict),
    prompt: Type.Object({ bytes: Positive, sha256: Type.String() }, strict),
    model: PlannedModel,
    workspace: WorkspacePlan,
    /** What programs inside may reach, by way of the host. The container itself has no network in any case. */
    network: NetworkPlan,
    container: ContainerPlan,
    pi: PiPlan,
    limits: RunLimits,
    acceptWeaker: Type.Array(Type.String()),
    keepOutputs: Type.Boolean(),
    /** What a person should know before the start, one sentence each. */
    notices: Type.Array(Type.String()),
  },
  strict,
);
export type RunPlan = Static<typeof RunPlan>;
