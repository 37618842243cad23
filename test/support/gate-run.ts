import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { ensureImage } from '../../src/cli/ensure-image.ts';
import type { AskGate, Decision, JudgedCall } from '../../src/protocol/gate.ts';
import type { SandboxRecord } from '../../src/protocol/record.ts';
import type { RunRequest } from '../../src/request/run-request.ts';
import { execute, type RunResult } from '../../src/run/execute.ts';
import type { RunHost } from '../../src/run/host.ts';
import { prepare } from '../../src/run/prepare.ts';
import { Stops } from '../../src/run/stops.ts';
import { TurnSwitch } from '../../src/run/turn-switch.ts';
import { testEngine } from './engine.ts';
import { ledger } from './pi-records.ts';
import { scenarioFile } from './scenario-file.ts';

export interface GateRunOptions {
  readonly repo: string;
  /** Folder for what the run writes; one that goes with the test when absent. */
  readonly state?: string;
  readonly turns: readonly object[];
  /** In place of the policy's own decision. */
  readonly decide?: (call: JudgedCall) => Decision | Promise<Decision>;
  readonly askGate?: AskGate;
  /** Digest of the guard in the image, where it is not the one of this version. */
  readonly guardSha256?: string;
  readonly request?: Partial<RunRequest>;
  /** Called for each record, as it happens. */
  readonly onRecord?: (record: SandboxRecord) => void;
}

export interface GateRun extends RunResult {
  readonly records: readonly SandboxRecord[];
  readonly ledger: ReturnType<typeof ledger>;
  readonly state: string;
  readonly warnings: readonly string[];
}

/** A run in this process, real container, gateway and pi, whose decisions and answers are the test's. */
export async function gateRun(options: GateRunOptions): Promise<GateRun> {
  const state = options.state ?? ownFolder();
  const records: SandboxRecord[] = [];
  const warnings: string[] = [];
  const stateRoot = path.join(state, 'pi-sandbox');
  const host: RunHost = {
    ...{ env: (name: string) => process.env[name], cwd: state, stateRoot, homeDir: tmpdir() },
    ...{ machine: 'test', now: () => new Date(), connect: testEngine },
    ensureImage: async (engine, asked, signal) => ({
      ...(await ensureImage(engine, asked, signal, () => {})),
      ...(options.guardSha256 === undefined ? {} : { guardSha256: options.guardSha256 }),
    }),
    onInterrupt: () => () => {},
    onRecord: (record) => {
      records.push(record);
      options.onRecord?.(record);
    },
    ...{ onDelta: () => {}, progress: () => {}, warn: (text: string) => void warnings.push(text) },
    ...(options.askGate === undefined ? {} : { askGate: options.askGate }),
  };
  const request: RunRequest = {
    ...{ repo: options.repo, prompt: 'go', model: `scripted:${scenarioFile(state, options.turns)}` },
    ...options.request,
  };
  const stops = new Stops();
  const prepared = await prepare(request, host, stops.signal);
  const decided = options.decide === undefined ? {} : { decide: options.decide };
  const parts = { request, host, prepared: { ...prepared, ...decided }, stops, turn: new TurnSwitch() };
  const result = await execute(parts);
  return { ...result, records, ledger: ledger(path.join(stateRoot, 'runs'), result.run), state, warnings };
}

const folders: string[] = [];
process.once('exit', () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

/** A folder that goes with the process. */
function ownFolder(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'ps-'));
  folders.push(folder);
  return folder;
}
