import { rmSync } from 'node:fs';
import type { Posture } from '../container/posture/posture.ts';
import { messageOf } from '../errors.ts';
import type { GatewayState } from '../gateway/gateway.ts';
import { KiB } from '../lib/bytes.ts';
import type { LedgerEntry } from '../protocol/ledger.ts';
import type { Outcome } from '../protocol/outcome.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { Policy } from '../protocol/policy.ts';
import type { NewRecord } from '../protocol/record.ts';
import type { RunRequest } from '../request/run-request.ts';
import { LedgerFile } from '../transcript/ledger-file.ts';
import { createFile } from '../transcript/private-file.ts';
import { RunFolder } from '../transcript/run-folder.ts';
import { Transcript } from '../transcript/transcript.ts';
import { type ControlHandlers, listenControl } from './control-server.ts';
import type { RunHost } from './host.ts';
import type { RunRedaction } from './redaction.ts';

/** Kept free on the disk for the last words while the run goes on: a run that fills the disk must still be able to say so. */
const RESERVE_FILE = 'reserve';
const RESERVE_BYTES = 16 * KiB;

/** Everything that a run writes on the host, and the socket on which it can be reached. */
export class RunFiles implements AsyncDisposable {
  readonly folder: RunFolder;
  readonly #ledger: LedgerFile;
  readonly #redaction: RunRedaction;
  readonly #host: RunHost;
  readonly #transcript: Transcript;
  readonly #server: AsyncDisposable;

  private constructor(
    host: RunHost,
    folder: RunFolder,
    transcript: Transcript,
    ledger: LedgerFile,
    redaction: RunRedaction,
    server: AsyncDisposable,
  ) {
    this.#host = host;
    this.folder = folder;
    this.#transcript = transcript;
    this.#ledger = ledger;
    this.#redaction = redaction;
    this.#server = server;
  }

  /** Rejects with SandboxError `state` and leaves nothing behind when the state folder cannot be used. */
  static async create(
    host: RunHost,
    start: { plan: RunPlan; policy: Policy; redaction: RunRedaction; request: RunRequest },
    control: ControlHandlers,
  ): Promise<RunFiles> {
    const { plan, policy, redaction, request } = start;
    const folder = RunFolder.create(host.stateRoot, plan.run);
    let server: AsyncDisposable | undefined;
    try {
      // Before the plan: a folder with a plan whose socket is silent counts as a run that was lost.
      server = await listenControl(folder.controlSocket, control);
      folder.writeJson('request.json', { ...redaction.json(kept(request)), repo: request.repo });
      createFile(folder.path(RESERVE_FILE), ' '.repeat(RESERVE_BYTES));
      folder.writeJson('policy.json', policy);
      folder.writeJson('plan.json', printable(plan, redaction));
      const transcript = Transcript.open(folder, plan.run, {
        maxBytes: plan.limits.transcriptBytes,
        now: host.now,
        onTrouble: host.warn,
      });
      return new RunFiles(host, folder, transcript, new LedgerFile(folder), redaction, server);
    } catch (error) {
      await server?.[Symbol.asyncDispose]();
      folder.remove();
      throw error;
    }
  }

  /** Stamps and keeps a record and hands it on. A promise asks the caller to wait: the reader is slower. */
  record(entry: NewRecord): void | Promise<void> {
    const waits = this.#redaction.records(entry).map((each) => this.#host.onRecord(this.#transcript.append(each)));
    return waits.find((wait) => wait !== undefined);
  }

  /** Throws when the line is not on disk. */
  ledger(entry: LedgerEntry): void {
    this.#ledger.append(this.#redaction.json(entry));
  }

  /** @throws SandboxError `state` */
  writeJson(name: string, value: unknown): void {
    this.folder.writeJson(name, this.#redaction.json(value));
  }

  /** The plan by which the sandbox is started, if it became another one. */
  plan(plan: RunPlan): void {
    this.folder.writeJson('plan.json', printable(plan, this.#redaction));
  }

  posture(posture: Posture): void {
    this.writeJson('posture.json', posture);
    const { evidence, findings, accepted, notes } = posture;
    void this.record({ source: 'observed', type: 'posture', evidence, findings, accepted, notes });
  }

  /** Gives up the room that was kept free for the last words. */
  freeReserve(): void {
    rmSync(this.folder.path(RESERVE_FILE), { force: true });
  }

  /** The last record. What the gateway counted goes with it. */
  async finish(outcome: Outcome, { requests, usage, costUsd, estimated }: GatewayState): Promise<void> {
    const whole = { ...outcome, requests, usage, costUsd, estimated, notKept: this.#transcript.dropped };
    this.freeReserve();
    try {
      this.writeJson('outcome.json', outcome);
    } catch (error) {
      this.#host.warn(messageOf(error));
    }
    await this.record({ source: 'observed', type: 'outcome', ...whole });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server[Symbol.asyncDispose]();
    this.#transcript.close();
    this.#ledger.close();
  }
}

/** What the plan says of the run must stay as it is; what it tells the user need not. */
function printable(plan: RunPlan, redaction: RunRedaction): RunPlan {
  return { ...plan, notices: redaction.json(plan.notices) };
}

/** The request without the path of the model server: some services have a token in it. */
function kept({ baseUrl, ...request }: RunRequest): RunRequest {
  const origin = baseUrl === undefined ? undefined : URL.parse(baseUrl)?.origin;
  return origin === undefined ? request : { ...request, baseUrl: origin };
}
