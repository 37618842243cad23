import type { Duplex, Readable } from 'node:stream';
import type { ContainerSpec } from '../plan/container-spec.ts';

/** What the engine says about itself. */
export interface EngineFacts {
  readonly name: string;
  readonly version: string;
  /** Version of the API in use, negotiated. */
  readonly apiVersion: string;
  readonly arch: string;
  readonly kernel: string;
  readonly cpus: number;
  /** Bytes. */
  readonly memory: number;
  readonly cgroupVersion: string;
  /** Raw entries such as `name=seccomp,profile=default`, `name=apparmor`, `name=rootless`. */
  readonly securityOptions: readonly string[];
  readonly runtimes: readonly string[];
  readonly runtimeVersion: string;
  /** Whether it is reached through a socket of this machine. */
  readonly local: boolean;
  /** For messages. */
  readonly endpoint: string;
}

export interface ExecSpec {
  readonly user: string;
  readonly workingDir: string;
  readonly env: readonly string[];
  readonly cmd: readonly string[];
  readonly stdin: boolean;
}

export interface ContainerSummary {
  readonly id: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly state: string;
  /** Seconds since the epoch. */
  readonly created: number;
}

export interface ContainerState {
  readonly running: boolean;
  /** Every process stands still. */
  readonly paused: boolean;
  /** Host process id of the main process; 0 when there is none. */
  readonly pid: number;
  readonly exitCode: number;
  readonly oomKilled: boolean;
  readonly error: string;
}

export interface ImageSummary {
  readonly id: string;
  readonly tags: readonly string[];
  readonly labels: Readonly<Record<string, string>>;
  readonly created: number;
  readonly size: number;
}

/**
 * All that pi-sandbox asks of a container engine. One implementation stands behind it (dockerode). Every method
 * rejects with a SandboxError of code `engine`.
 */
export interface Engine {
  readonly facts: EngineFacts;
  create(spec: ContainerSpec): Promise<string>;
  /** The raw stream of the main process, multiplexed; see `demux`. Attach before start, or first output is lost. */
  attach(container: string): Promise<Duplex>;
  start(container: string): Promise<void>;
  /** What the engine says the container is; unparsed. Undefined when there is no such container. */
  inspect(container: string): Promise<unknown>;
  state(container: string): Promise<ContainerState | undefined>;
  /** Settles when the container has ended. */
  wait(container: string): Promise<void>;
  setCpus(container: string, cpus: number): Promise<void>;
  /** Ends every process at once. Quiet when nothing runs or nothing is there. */
  kill(container: string): Promise<void>;
  /** Removes container and anonymous volumes, running or not. Quiet when it is gone already. */
  remove(container: string): Promise<void>;
  /** Containers in any state that carry these labels. */
  list(labels: Readonly<Record<string, string | true>>): Promise<ContainerSummary[]>;

  createExec(container: string, spec: ExecSpec): Promise<string>;
  startExec(exec: string, stdin: boolean): Promise<Duplex>;
  execState(
    exec: string,
  ): Promise<{ readonly running: boolean; readonly exitCode: number | null; readonly pid: number }>;

  inspectImage(name: string): Promise<unknown>;
  images(labels: Readonly<Record<string, string | true>>): Promise<ImageSummary[]>;
  removeImage(name: string): Promise<void>;
  /** Classic builder. Yields the engine's progress objects, unparsed. */
  build(context: Readable, options: BuildOptions): AsyncIterable<unknown>;

  createVolume(name: string, labels: Readonly<Record<string, string>>): Promise<void>;
  volumes(labels: Readonly<Record<string, string | true>>): Promise<{ name: string; labels: Record<string, string> }[]>;
  removeVolume(name: string): Promise<void>;
}

export interface BuildOptions {
  readonly tag: string;
  readonly dockerfile: string;
  readonly buildArgs: Readonly<Record<string, string>>;
  readonly labels: Readonly<Record<string, string>>;
  /** Whether the steps of the build have the engine's default network. */
  readonly network: boolean;
  readonly signal: AbortSignal;
}
