/** Where things are inside the image. Shared by the image build, the plan and the guest code. */
export const GUEST = {
  root: '/opt/pi-sandbox',
  node: '/opt/pi-sandbox/bin/node',
  bridge: '/opt/pi-sandbox/guest/bridge.mjs',
  guard: '/opt/pi-sandbox/guest/guard.mjs',
  piCli: '/opt/pi-sandbox/pi/node_modules/@earendil-works/pi-coding-agent/dist/bundle/cli.js',
  piIndex: '/opt/pi-sandbox/pi/node_modules/@earendil-works/pi-coding-agent/dist/bundle/index.js',
  /** Empty and read-only: pi's agent directory. */
  agentDir: '/opt/pi-sandbox/agent',
  /** Read-only compile cache, one link per leased user id. */
  compileCache: '/opt/pi-sandbox/compile-cache',
  tini: '/opt/pi-sandbox/bin/tini',
  workspace: '/workspace',
  /** Exists in the image, writable for all, so that a fresh volume mounted here takes that mode over. */
  volume: '/volume',
  /** The workspace when it lies on a disk volume. */
  volumeWorkspace: '/volume/workspace',
  home: '/home/agent',
  /** pi's temp folder: full bash output goes here, apart from the commands' /tmp. */
  spill: '/spill',
} as const;

/**
 * Node's options for pi: its heap in MiB, and room for new objects that its start does not fill, which saves a twentieth
 * of it. The compile cache in the image is valid for exactly these.
 */
export const PI_NODE_FLAGS = [
  '--max-old-space-size=512',
  '--min-semi-space-size=32',
  '--max-semi-space-size=32',
] as const;

/** Leasable pairs of user ids in the image's passwd: bridge (A) and agent (B). Below 65,536 for rootless engines. */
export const SLOT_COUNT = 64;
export const FIRST_UID = 10_001;

export interface UidPair {
  /** Uid and gid of the bridge. */
  readonly bridge: number;
  /** Uid and gid of pi and its commands. */
  readonly agent: number;
}

/** The pair of user ids of a slot, 0 to SLOT_COUNT - 1. */
export function uidPair(slot: number): UidPair {
  return { bridge: FIRST_UID + 2 * slot, agent: FIRST_UID + 2 * slot + 1 };
}

/** Names of the environment variables through which the controller configures the guard. No secret goes here. */
export const GUARD_ENV = {
  /** JSON of the model entry that pi shows: id, name, reasoning, input, contextWindow, maxTokens, cost (zero). */
  model: 'PI_SANDBOX_MODEL',
  /** JSON of GuardLimits. */
  limits: 'PI_SANDBOX_LIMITS',
  /** JSON of the MCP servers that pi starts, by name, in the form of pi's `mcp.json`. Absent when there are none. */
  mcpServers: 'PI_SANDBOX_MCP_SERVERS',
  /** JSON of variables that commands get and pi itself does not. Absent when there are none. */
  commandEnv: 'PI_SANDBOX_COMMAND_ENV',
} as const;

export interface GuardLimits {
  /** Timeout given to bash calls that name none, seconds. */
  readonly bashTimeoutSeconds: number;
  /** Full bash output kept per call, bytes. */
  readonly spillBytesPerCall: number;
  /** Full bash output kept per run, bytes. */
  readonly spillBytesPerRun: number;
  /** Free space in the spill folder below which nothing more is kept, bytes. */
  readonly spillReserveBytes: number;
  /** Longest wait for the host's word on a call, milliseconds; after that the call is blocked. */
  readonly gateTimeoutMs: number;
}
