import type { Duplex, Readable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '../errors.ts';
import type { UndoStack } from '../lib/undo.ts';
import type { ContainerSpec } from '../plan/container-spec.ts';
import type { RunPlan } from '../protocol/plan.ts';
import { bootstrapCommand, bootstrapEnv } from './bootstrap.ts';
import { demux } from './demux.ts';
import type { Engine } from './engine.ts';
import {
  agentPosture,
  judge,
  mainPosture,
  type Posture,
  type PostureSubject,
  requirePosture,
} from './posture/posture.ts';
import { requireOwnSlot } from './slot.ts';
import type { Wire } from './wire.ts';

/** Longest wait for a process to appear, and the time between two looks, milliseconds. */
const PROCESS_MS = 10_000;
const POLL_MS = 4;

/** A container that matches its plan, with the process that will become pi waiting for its archive. */
export interface StartedSandbox {
  readonly container: string;
  readonly posture: Posture;
  readonly wire: Wire;
  /** What the bridge says on its error stream. */
  readonly bridgeErrors: Readable;
  readonly pi: {
    readonly exec: string;
    /** Raw stream: write the archive and pi's commands; ending it is end of input. */
    readonly stdin: Duplex;
    readonly stdout: Readable;
    readonly stderr: Readable;
  };
}

export interface StartOptions {
  readonly engine: Engine;
  readonly plan: RunPlan;
  /** The engine's form of the container plan. */
  readonly spec: ContainerSpec;
  readonly undo: UndoStack;
  readonly signal: AbortSignal;
  readonly onGateway: (stream: Duplex) => void;
  /** Absent in a run that has no way out. */
  readonly onEgress?: ((stream: Duplex) => void) | undefined;
  readonly onRefused: (authority: string) => void;
  /** Told of the posture before it is judged, so that it is on record whatever it says. */
  readonly onPosture: (posture: Posture) => void;
}

/**
 * Creates, starts and checks a container. Every step registers its own undo; nothing untrusted has entered when this
 * resolves. The bridge may still be starting: pi needs it for its first request only, see `wire.ready`.
 * Rejects with SandboxError `posture` when the container is not what was planned.
 */
export async function startSandbox(options: StartOptions): Promise<StartedSandbox> {
  const { engine, plan, spec, undo, signal } = options;
  const { volume } = plan.container;
  if (volume !== undefined) {
    await engine.createVolume(volume.name, plan.container.labels);
    undo.add('remove the volume', () => engine.removeVolume(volume.name));
  }
  const container = await engine.create(spec);
  undo.add('remove the container', () => engine.remove(container));
  signal.throwIfAborted();
  // Attached before the start: what the main process says first would be lost otherwise.
  const [attached] = await Promise.all([
    attach(engine, container, undo),
    requireOwnSlot(engine, container, plan.container.slot),
  ]);
  // Loads while the engine works.
  const wireModule = import('./wire.ts');
  await engine.start(container);
  signal.throwIfAborted();
  const streams = demux(attached);
  const { openWire } = await wireModule;
  const wire = openWire({
    fromGuest: streams.stdout,
    toGuest: attached,
    onGateway: options.onGateway,
    onEgress: options.onEgress,
    onRefused: options.onRefused,
  });
  undo.add('end the wire', () => wire.close());

  const subject: PostureSubject = {
    engine,
    container,
    spec,
    bridgeUid: plan.container.bridgeUid,
    agentUid: plan.container.agentUid,
  };
  // Asked before: while an engine starts a process in a container, it answers no question about it.
  const inspected = engine.inspect(container);
  const [agent, main] = await Promise.all([
    startAgent(subject, options),
    inspected.then((answer) => mainPosture(subject, answer)),
  ]);
  const posture = judge([main, agent.posture], plan.acceptWeaker);
  options.onPosture(posture);
  requirePosture(posture);
  signal.throwIfAborted();
  return { container, posture, wire, bridgeErrors: streams.stderr, pi: agent.pi };
}

async function attach(engine: Engine, container: string, undo: UndoStack): Promise<Duplex> {
  const attached = await engine.attach(container);
  attached.on('error', () => {});
  undo.add('close the wire', () => void attached.destroy());
  return attached;
}

/** Starts the process that waits for the archive, and reads back what it is allowed. */
async function startAgent(
  subject: PostureSubject,
  options: StartOptions,
): Promise<{ posture: Posture; pi: StartedSandbox['pi'] }> {
  const { engine, plan, undo } = options;
  const uid = plan.container.agentUid;
  const exec = await engine.createExec(subject.container, {
    user: `${uid}:${uid}`,
    workingDir: '/',
    env: bootstrapEnv(plan),
    cmd: bootstrapCommand(plan),
    stdin: true,
  });
  const stdin = await engine.startExec(exec, true);
  stdin.on('error', () => {});
  undo.add('close the stream of pi', () => void stdin.destroy());
  const { stdout, stderr } = demux(stdin);
  const pid = await processId(engine, exec);
  return { posture: await agentPosture(subject, pid), pi: { exec, stdin, stdout, stderr } };
}

/** Engines answer before the process is there. */
async function processId(engine: Engine, exec: string): Promise<number> {
  const until = performance.now() + PROCESS_MS;
  for (;;) {
    const { pid, exitCode } = await engine.execState(exec);
    if (pid !== 0) return pid;
    if (exitCode !== null || performance.now() > until) {
      throw new SandboxError('engine', `The process that becomes pi could not be started (exit code ${exitCode}).`, {
        hint: 'The image may lack /bin/bash, or be made for another architecture. Try "pi-sandbox image build".',
      });
    }
    await delay(POLL_MS);
  }
}
