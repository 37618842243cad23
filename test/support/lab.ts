import { existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import type { ContainerSummary, Engine } from '../../src/container/engine.ts';
import { LABEL } from '../../src/protocol/labels.ts';
import type { SandboxRecord } from '../../src/protocol/record.ts';
import { knownInstallation } from '../../src/run/installation.ts';
import { type CliOptions, type CliResult, type LiveCli, runCli, scenario, startCli, tempFolder } from './cli.ts';
import { testEngine } from './engine.ts';
import { eventually } from './host-processes.ts';

/** An installation of its own: a state folder, a repository, and what can be seen of its runs from outside. */
export interface Lab {
  /** XDG_STATE_HOME and what else the commands get. */
  readonly env: Record<string, string | undefined>;
  /** Where the runs are. */
  readonly root: string;
  readonly repo: string;
  /** Starts `run` on the repository with this scenario. */
  run(scenarioText: string, args?: readonly string[], options?: CliOptions): LiveCli;
  /** Starts any command. */
  start(args: readonly string[], options?: CliOptions): LiveCli;
  /** Runs any command to its end. */
  cli(args: readonly string[], options?: CliOptions): Promise<CliResult>;
  /** Run ids, oldest first. */
  runs(): string[];
  /** Complete records of a run's transcript, the newest run's unless one is named. */
  records(run?: string): SandboxRecord[];
  /** Settles with the first record like this. */
  record(type: string, match?: (record: SandboxRecord) => boolean, limitMs?: number): Promise<SandboxRecord>;
  /** Id of the container of the newest run, once it is ready. */
  container(limitMs?: number): Promise<string>;
  /** Containers of this installation in any state. */
  containers(engine: Engine): Promise<ContainerSummary[]>;
}

const READY_MS = 30_000;

export function lab(env: Record<string, string | undefined> = {}): Lab {
  const state = tempFolder('pl-');
  const repo = tempFolder('pr-');
  writeFileSync(path.join(repo, 'README.md'), 'A small repository.\n');
  const root = path.join(state, 'pi-sandbox');
  const all = { XDG_STATE_HOME: state, ...env };
  const withEnv = (options: CliOptions = {}): CliOptions => ({ ...options, env: { ...all, ...options.env } });
  const runs = (): string[] => {
    const folder = path.join(root, 'runs');
    return existsSync(folder) ? readdirSync(folder).sort() : [];
  };
  const records = (run = runs().at(-1)): SandboxRecord[] => {
    const file = path.join(root, 'runs', run ?? 'none', 'events.jsonl');
    if (!existsSync(file)) return [];
    const complete = readFileSync(file, 'utf8').split('\n').slice(0, -1);
    return complete.map((line) => JSON.parse(line) as SandboxRecord);
  };
  const record: Lab['record'] = async (type, match = () => true, limitMs = READY_MS) => {
    const found = () => records().find((entry) => entry.type === type && match(entry));
    return (await eventually(`a record of type ${type}`, limitMs, found, () => records().slice(-5))).value;
  };
  const containers = async (engine: Engine): Promise<ContainerSummary[]> => {
    // Some tests put something else in the place of the state folder.
    if (!lstatSync(root, { throwIfNoEntry: false })?.isDirectory()) return [];
    const installation = knownInstallation({ machine: hostname(), stateRoot: root });
    return installation === undefined ? [] : engine.list({ [LABEL.run]: true, [LABEL.installation]: installation });
  };
  // A test that failed half-way leaves a container that no later command knows of, since the state folder goes too.
  onTestFinished(async () => {
    const engine = await testEngine();
    for (const { id } of await containers(engine)) await engine.remove(id);
  });
  return {
    env: all,
    root,
    repo,
    run: (text, args = [], options) =>
      startCli(['run', repo, '--model', scenario(text), ...args, 'do', 'it'], withEnv(options)),
    start: (args, options) => startCli(args, withEnv(options)),
    cli: (args, options) => runCli(args, withEnv(options)),
    runs,
    records,
    record,
    container: async (limitMs) => String((await record('ready', undefined, limitMs))['container']),
    containers,
  };
}

/** Names of files in a folder and below, relative. */
export function filesBelow(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder, { recursive: true, encoding: 'utf8' }).sort() : [];
}

/** A repository with this many files of this size, bytes. */
export function fillRepo(repo: string, files: number, size: number): void {
  const content = Buffer.alloc(size, 'x');
  for (let index = 0; index < files; index++) {
    const folder = path.join(repo, `d${index % 50}`);
    mkdirSync(folder, { recursive: true });
    writeFileSync(path.join(folder, `f${index}`), content);
  }
}
