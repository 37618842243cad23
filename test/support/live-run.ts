import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import type { Engine } from '../../src/container/engine.ts';
import { LABEL } from '../../src/protocol/labels.ts';
import type { LedgerEntry } from '../../src/protocol/ledger.ts';
import type { RunPlan } from '../../src/protocol/plan.ts';
import type { SandboxRecord } from '../../src/protocol/record.ts';
import { type CliResult, type LiveCli, startCli } from './cli.ts';
import { type Inside, inside } from './inside.ts';
import { withoutRules } from './without-rules.ts';

/** What a scripted model asks for in one turn. */
export interface Asked {
  readonly name: string;
  readonly arguments: Readonly<Record<string, unknown>>;
}

/** One bash call. */
export const bash = (command: string, timeout = 60): Asked => ({ name: 'bash', arguments: { command, timeout } });

const RELEASE = '/tmp/pi-sandbox-test-release';
/** A bash call that lasts until the test lets it go, so that the test can look at a run from outside. */
export const HOLD = bash(`echo holding; until [ -e ${RELEASE} ]; do sleep 0.05; done; echo released`, 110);

/** A run of the command line that stands still in `HOLD`. */
export interface HeldRun {
  readonly cli: LiveCli;
  readonly container: string;
  readonly plan: RunPlan;
  /** The run folder. */
  readonly folder: string;
  readonly state: string;
  /** Runs a script in its container, as the agent's user unless another is named. */
  inside(script: string, options?: { uid?: number; input?: string }): Promise<Inside>;
  /** Host process ids of everything in the container. */
  processes(): number[];
  /** Lets the run go on to its end. */
  release(): Promise<CliResult>;
  records(): SandboxRecord[];
  ledger(): LedgerEntry[];
  /** Texts of the results of all tool calls that have ended, in order, as pi reported them. */
  results(): string[];
}

export interface HeldRunOptions {
  readonly engine: Engine;
  readonly repo: string;
  /** Scenario turns; one of them must have HOLD as its only call. The last turn, which ends the conversation, is added. */
  readonly turns: readonly (readonly Asked[])[];
  readonly args?: readonly string[];
  readonly env?: Readonly<Record<string, string | undefined>>;
  /** Instead of the scripted model of `turns`. */
  readonly model?: string;
}

/** Starts a run and waits until it holds. Disposing it removes what is left of it, also when the test failed. */
export async function holdRun(options: HeldRunOptions): Promise<HeldRun & AsyncDisposable> {
  const { engine } = options;
  const state = mkdtempSync(path.join(tmpdir(), 'pi-'));
  const scenario = path.join(state, 'scenario.yaml');
  const turns = [...options.turns.map((tools) => ({ text: 'Next.', tools })), { text: 'The end.' }];
  // JSON is YAML.
  writeFileSync(scenario, JSON.stringify({ turns }));
  const cli = startCli(
    [
      'run',
      options.repo,
      'probe',
      '--model',
      options.model ?? `scripted:${scenario}`,
      '--json',
      ...withoutRules(state),
      ...(options.args ?? []),
    ],
    { env: { ...options.env, XDG_STATE_HOME: state }, timeoutMs: 110_000 },
  );
  await cli.until(/"type":"tool_execution_start"[^\n]*echo holding/);
  const runs = path.join(state, 'pi-sandbox/runs');
  const run = readdirSync(runs)[0] ?? '';
  const folder = path.join(runs, run);
  const read = (name: string) => readFileSync(path.join(folder, name), 'utf8');
  const jsonLines = <T>(name: string): T[] =>
    read(name)
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as T);
  const [found] = await engine.list({ [LABEL.run]: run });
  if (found === undefined) throw new Error(`the run ${run} has no container: ${cli.stderr}`);
  const plan = JSON.parse(read('plan.json')) as RunPlan;
  const look = (script: string, { uid = plan.container.agentUid, input = '' } = {}) =>
    inside(engine, found.id, { uid, script, input });
  return {
    cli,
    container: found.id,
    plan,
    folder,
    state,
    inside: look,
    processes: () => processesOf(found.id),
    async release() {
      await look(`: >${RELEASE}`);
      return cli.ended;
    },
    records: () => jsonLines('events.jsonl'),
    ledger: () => jsonLines('ledger.jsonl'),
    results: () => jsonLines<SandboxRecord>('events.jsonl').flatMap(resultText),
    async [Symbol.asyncDispose]() {
      cli.child.kill('SIGKILL');
      // Of a controller that is killed the dead record stays, and nobody knows its state folder after this.
      await engine.remove(found.id);
      rmSync(state, { recursive: true, force: true });
    },
  };
}

function resultText(record: SandboxRecord): string[] {
  const event = record.event as { type?: string; result?: { content?: { text?: string }[] } } | undefined;
  if (record.type !== 'pi' || event?.type !== 'tool_execution_end') return [];
  return [(event.result?.content ?? []).map(({ text }) => text ?? '').join('')];
}

/** Host process ids whose control group is the container's. */
export function processesOf(container: string): number[] {
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cgroup`, 'utf8').includes(container);
      } catch {
        return false;
      }
    });
}
