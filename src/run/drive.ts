import { setTimeout as delay } from 'node:timers/promises';
import { GUARD_DIFFERS, REPOSITORY_READY, UNPACK_FAILED } from '../container/bootstrap.ts';
import type { Engine } from '../container/engine.ts';
import type { PiClient } from '../container/pi-client.ts';
import type { StartedSandbox } from '../container/start.ts';
import type { StderrTail } from '../container/stderr-tail.ts';
import { SandboxError } from '../errors.ts';
import { checkPiState } from '../events/pi-state.ts';
import { withDeadline } from '../lib/deadline.ts';
import { HOST_PROVIDER } from '../plan/pi-command.ts';
import type { RunPlan } from '../protocol/plan.ts';
import { GATEWAY_PORT } from '../protocol/wire.ts';
import type { PiPump } from './pump.ts';
import type { Stops } from './stops.ts';
import type { TurnSwitch } from './turn-switch.ts';
import { untilStopped } from './until-stopped.ts';

/** Time that pi gets to answer short commands and to leave after the end of its input, milliseconds. */
const ANSWER_MS = 30_000;
const LEAVE_MS = 15_000;
const ABORT_MS = 10_000;
/** Longest wait for the end of a pi that seems to have gone, milliseconds. */
const GONE_MS = 2_000;
/** Time for the one-commit repository, milliseconds, beside the time per file and for the bytes, which git compresses. */
const REPOSITORY_MS = 60_000;
const REPOSITORY_MS_PER_FILE = 20;
const REPOSITORY_BYTES_PER_MS = 5_000;

export interface DriveParts {
  readonly engine: Engine;
  readonly plan: RunPlan;
  readonly prompt: string;
  readonly sandbox: StartedSandbox;
  readonly piErrors: StderrTail;
  readonly pump: PiPump;
  readonly client: PiClient;
  readonly stops: Stops;
  readonly turn: TurnSwitch;
  /** Writes the archive; nothing in mount mode. */
  readonly sendRepository: () => Promise<void>;
  /** Called when the prompt is about to be sent. */
  readonly onReady: () => void;
  /** Next prompt after an aborted turn, if somebody wants to go on. */
  readonly askNext: (() => Promise<string | undefined>) | undefined;
}

/** Takes a started sandbox through its whole conversation. Rejects when the sandbox fails; returns when pi has left. */
export async function drive(parts: DriveParts): Promise<void> {
  const { client, pump, stops } = parts;
  await untilStopped(stops, boot(parts));
  parts.onReady();
  let message: string | undefined = parts.prompt;
  while (message !== undefined && !stops.signal.aborted) {
    const settled = pump.nextSettled();
    parts.turn.arm(() => void abortTurn(client).then((done) => done || stops.interrupt('SIGINT')));
    const taken = await untilStopped(stops, client.request({ type: 'prompt', message }, ANSWER_MS));
    if (!taken.success)
      throw new SandboxError('wire', `pi did not take the prompt: ${taken.error ?? 'no reason given'}.`);
    pump.promptAccepted = true;
    await untilStopped(stops, Promise.race([settled, pump.ended]));
    parts.turn.disarm();
    // That it was we who ended the turn is known here; pi's word for it is not asked.
    message = parts.turn.used && !pump.hasEnded ? await parts.askNext?.() : undefined;
    if (message !== undefined) parts.turn.used = false;
  }
  parts.sandbox.pi.stdin.end();
  await untilStopped(stops, withDeadline('pi leaving after the end of its input', LEAVE_MS, pump.ended));
}

async function boot({ engine, plan, sandbox, piErrors, client, pump, sendRepository }: DriveParts): Promise<void> {
  await withPi(pump, piErrors, sendRepository());
  const { bootMs } = plan.limits;
  const state = await withPi(pump, piErrors, client.request({ type: 'get_state' }, bootMs));
  if (!state.success)
    throw new SandboxError('wire', `pi does not tell its state: ${state.error ?? 'no reason given'}.`);
  const { id, contextWindow, maxTokens } = plan.model;
  const baseUrl = `http://127.0.0.1:${GATEWAY_PORT}`;
  checkPiState(state.data, { id, provider: HOST_PROVIDER, baseUrl, contextWindow, maxTokens });
  const { files, bytes } = plan.workspace;
  const patience = REPOSITORY_MS + files * REPOSITORY_MS_PER_FILE + Math.ceil(bytes / REPOSITORY_BYTES_PER_MS);
  await withDeadline('making the repository inside', patience, withPi(pump, piErrors, piErrors.said(REPOSITORY_READY)));
  await withPi(pump, piErrors, sandbox.wire.ready);
  if (plan.container.cpus !== plan.container.bootCpus) await engine.setCpus(sandbox.container, plan.container.cpus);
}

/** The work, or a clear error when pi goes away meanwhile. */
async function withPi<T>(pump: PiPump, piErrors: StderrTail, work: Promise<T>): Promise<T> {
  const gone = pump.ended.then(async () => {
    const code = await pump.exitCode();
    const said = piErrors.text.trim().split('\n').slice(-5).join(' | ').slice(-600);
    if (code === GUARD_DIFFERS) {
      throw new SandboxError('image', 'The guard in the image is missing or is not the one of this version.', {
        hint: 'Build the image again: pi-sandbox image build',
      });
    }
    throw new SandboxError(
      'wire',
      code === UNPACK_FAILED
        ? `The repository could not be brought into the container: ${said || 'no reason given'}.`
        : `pi ended while it was starting (exit code ${code ?? 'unknown'})${said === '' ? '' : `: ${said}`}.`,
    );
  });
  gone.catch(() => {});
  try {
    return await Promise.race([work, gone]);
  } catch (error) {
    // What fails because pi went away says less than why it went, which is known a moment later.
    await Promise.race([pump.ended, delay(GONE_MS)]);
    if (pump.hasEnded) await gone;
    throw error;
  }
}

/** Ends the running turn: nothing queued follows, a running command is killed. */
async function abortTurn(client: PiClient): Promise<boolean> {
  try {
    await client.request({ type: 'clear_queue' }, ABORT_MS);
    return (await client.request({ type: 'abort' }, ABORT_MS)).success;
  } catch {
    return false;
  }
}
