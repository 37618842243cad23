import { setTimeout as delay } from 'node:timers/promises';
import { PiClient } from '../container/pi-client.ts';
import type { StartedSandbox } from '../container/start.ts';
import { StderrTail } from '../container/stderr-tail.ts';
import type { Egress } from '../egress/egress.ts';
import { messageOf } from '../errors.ts';
import { decideOutcome } from '../events/outcome.ts';
import { Gateway } from '../gateway/gateway.ts';
import { UndoStack } from '../lib/undo.ts';
import { handsBack } from '../plan/profiles.ts';
import type { HandBack } from '../protocol/hand-back.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { RunRequest } from '../request/run-request.ts';
import { drive } from './drive.ts';
import { closeEgress, egressOfRun } from './egress-of-run.ts';
import { gateOfRun } from './gate-of-run.ts';
import { gitHost } from './git-host.ts';
import { HandBackOfRun } from './hand-back.ts';
import type { RunHost } from './host.ts';
import { OutputPaths } from './output-paths.ts';
import { liveOutput } from './outputs.ts';
import type { Prepared } from './prepare.ts';
import { PiPump } from './pump.ts';
import { recover } from './recover.ts';
import { keptOutputs, recordErrors, recordStart, sendRepository } from './report.ts';
import { RunFiles } from './run-files.ts';
import { SettledCheck } from './settled.ts';
import { startWithFreeSlot } from './start-with-free-slot.ts';
import type { Stops } from './stops.ts';
import { endPi, type PiEnd } from './teardown.ts';
import { RunTimers } from './timers.ts';
import type { TurnSwitch } from './turn-switch.ts';
import { watchVolume } from './watch-volume.ts';

export interface RunResult {
  readonly run: string;
  readonly outcome: Outcome;
  /** Text of the model's last answer, as the gateway saw it. */
  readonly answer: string;
  /** What was changed; absent where the run could change nothing. */
  readonly changes?: HandBack;
}

export interface ExecuteParts {
  readonly request: RunRequest;
  readonly host: RunHost;
  readonly prepared: Prepared;
  readonly stops: Stops;
  readonly turn: TurnSwitch;
}

/** Longest wait for clearing up after others, once the run is over, milliseconds. */
const REAP_MS = 5_000;

/** Runs what was prepared, and removes all of it again. The transcript ends with the outcome. */
export async function execute(parts: ExecuteParts): Promise<RunResult> {
  const { request, host, prepared, stops } = parts;
  const { redaction } = prepared;
  const plan = await prepared.plan();
  const outputs = new OutputPaths();
  const inside: Inside = {};
  // The control socket comes before the container: one whose socket refuses a connection is removed by anybody.
  await using files = await RunFiles.create(
    host,
    { plan, policy: prepared.policy, redaction, request },
    {
      stop: () => stops.interrupt('stop'),
      output: (call) => liveOutput(prepared, inside.started, { call, path: outputs.get(call) }),
    },
  );
  // Clearing up after others takes place while pi starts, when there is time, and must not fail this run.
  let reaped: Promise<unknown> | undefined;
  const clearUp = (): void => {
    reaped ??= recover(host, prepared.engine).catch((error: unknown) => {
      host.warn(`leftovers of earlier runs could not be removed: ${messageOf(error)}`);
    });
  };
  using timers = new RunTimers(plan.limits, stops);
  const settled = new SettledCheck(
    () => gateway.state,
    () => parts.turn.used,
  );
  const gateway = new Gateway({
    run: plan.run,
    source: prepared.source,
    limits: plan.limits.gateway,
    wallMs: plan.limits.wallMs,
    tools: plan.pi.tools,
    reachableTools: plan.pi.reachable,
    gate: gateOfRun(parts, plan, files, timers),
    redaction: redaction.toModel((seen) => void files.record(seen)),
    record: (entry) => {
      timers.touch();
      settled.take(entry);
      void files.record(entry);
    },
    ledger: (entry) => files.ledger(entry),
    onDelta: (delta) => {
      timers.touch();
      host.onDelta(delta);
    },
    onFailure: (failure) => stops.gateway(failure),
  });
  const egress = await egressOfRun(plan, { files, timers, stops });
  const handBack = handsBack(plan)
    ? new HandBackOfRun(plan, files, {
        selection: prepared.selection,
        include: prepared.policy.workspace.include,
        env: gitHost(host),
        onPassed: host.onPassed,
      })
    : undefined;
  const pi = await converse(parts, {
    plan,
    files,
    timers,
    gateway,
    egress,
    settled,
    outputs,
    inside,
    handBack,
    clearUp,
  });
  clearUp();
  // A container of another run that the engine cannot remove must not hold this one up.
  await Promise.race([reaped, delay(REAP_MS, undefined, { ref: false })]);
  if (parts.turn.used && !stops.signal.aborted) stops.interrupt('SIGINT');
  const changes = handBack?.result;
  const lost = changes?.outcome === 'failed' ? { changesLost: changes.reasons.join(' ') } : {};
  const outcome = redaction.json(decideOutcome({ ...stops.facts, ...pi, ...lost, gateway: gateway.state }));
  await files.finish(outcome, gateway.state);
  const answer = gateway.state.lastAnswerText;
  return redaction.json({ run: plan.run, outcome, answer, ...(changes === undefined ? {} : { changes }) });
}

/** Filled once the sandbox stands, with the plan that it was started by: another run may have taken the first one's users. */
interface Inside {
  started?: { readonly sandbox: StartedSandbox; readonly plan: RunPlan };
}

export interface Session {
  readonly plan: RunPlan;
  readonly files: RunFiles;
  readonly timers: RunTimers;
  readonly gateway: Gateway;
  /** Absent where programs inside may reach nothing. */
  readonly egress: Egress | undefined;
  readonly settled: SettledCheck;
  readonly outputs: OutputPaths;
  /** Absent where the agent is not meant to change anything. */
  readonly handBack: HandBackOfRun | undefined;
  /** Starts to remove what earlier runs left, once. */
  readonly clearUp: () => void;
  /** The control socket reaches the sandbox through it. */
  readonly inside: Inside;
}

interface SeenOfPi {
  readonly piExit?: PiEnd;
  readonly promptAccepted: boolean;
  readonly settled: boolean;
  readonly damaged: { readonly torn: number };
}

/** From the start of the container to its removal. Never rejects: what goes wrong becomes a stop. */
async function converse(parts: ExecuteParts, session: Session): Promise<SeenOfPi> {
  const { prepared, stops, turn, host } = parts;
  const { files, gateway, egress, timers, outputs, handBack } = session;
  const { engine } = prepared;
  const undo = new UndoStack();
  const talking = new AbortController();
  let pump: PiPump | undefined;
  let piExit: PiEnd | undefined;
  try {
    recordStart(files, prepared, session.plan, host.machine);
    const { sandbox, plan } = await startWithFreeSlot(parts, session, undo);
    session.inside.started = { sandbox, plan };
    session.clearUp();
    sandbox.wire.closed.catch((error: unknown) => stops.fail(error));
    void watchVolume(parts, plan, sandbox.container, talking.signal);
    const { stdin, stdout, stderr, exec } = sandbox.pi;
    const piErrors = new StderrTail(stderr, plan.limits.stderrBytes);
    const bridgeErrors = new StderrTail(sandbox.bridgeErrors, plan.limits.stderrBytes);
    undo.add('record the error streams', () => recordErrors(files, { pi: piErrors, bridge: bridgeErrors }));
    const client = new PiClient(stdin);
    pump = new PiPump({
      stdout,
      limits: plan.limits,
      client,
      stops,
      timers,
      outputs,
      mayBeSettled: session.settled.mayBeSettled,
      record: (entry) => files.record(entry),
      exitCode: async () => (await engine.execState(exec)).exitCode,
    });
    await drive({
      engine,
      plan,
      prompt: parts.request.prompt,
      sandbox,
      piErrors,
      pump,
      client,
      stops,
      turn,
      sendRepository: () => sendRepository(parts, plan, stdin, files, handBack?.note),
      onReady: () => {
        handBack?.begin();
        void files.record({ source: 'observed', type: 'ready', container: sandbox.container });
      },
      askNext: host.askNext,
    });
  } catch (error) {
    stops.fail(error);
  }
  turn.disarm();
  talking.abort();
  // The time that the run was given is the agent's, and it is over.
  timers[Symbol.dispose]();
  // Before anything else: from here on the container reaches no model and nothing else.
  gateway.revoke('the run has ended');
  egress?.revoke('the run has ended');
  const { started } = session.inside;
  try {
    if (started !== undefined && pump !== undefined) {
      const { sandbox, plan } = started;
      const target = { engine, container: sandbox.container, uid: plan.container.agentUid };
      const keep = [keptOutputs(session, target, prepared.redaction), handBack?.keep(target)].filter(
        (work) => work !== undefined,
      );
      piExit = await endPi({ engine, sandbox, pump, plan, keep });
      void files.record({
        source: 'observed',
        type: 'pi_exit',
        ...piExit,
        unknown: pump.tally.unknown,
        damaged: pump.tally.damaged,
      });
    }
    await gateway.close();
    await closeEgress(egress, session.plan.network, files);
    prepared.source.close?.();
  } catch (error) {
    stops.fail(error);
    if (handBack?.owed === true) handBack.fail(error);
  }
  const failures = await undo.run();
  for (const failure of failures) host.warn(`${messageOf(failure)}: ${messageOf((failure as Error).cause)}`);
  void files.record({ source: 'observed', type: 'removed', complete: failures.length === 0 });
  return {
    ...(piExit === undefined ? {} : { piExit }),
    promptAccepted: pump?.promptAccepted ?? false,
    settled: pump?.settled ?? false,
    damaged: pump?.tally.damaged ?? { torn: 0 },
  };
}
