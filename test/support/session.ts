import { type ChildProcess, execFileSync, type StdioOptions, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll } from 'vitest';
import type { SandboxRecord } from '../../src/protocol/record.ts';
import { lineSplitter } from './line-splitter.ts';
import { type OnTerminal, onTerminal } from './pty.ts';

export const BIN = path.join(import.meta.dirname, '../../bin/pi-sandbox.mjs');
/** After this a command is killed and its test fails, milliseconds. */
const DEADLINE_MS = 100_000;

/** One turn of a scripted model; see docs/scenarios.md. */
export type Turn = Readonly<Record<string, unknown>>;

export interface RunOptions {
  readonly args?: readonly string[];
  readonly prompt?: string;
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly stdio?: StdioOptions;
  readonly cwd?: string;
  /** The program leads a process group of its own. */
  readonly detached?: boolean;
  /** The model of the scenario. */
  readonly model?: Readonly<Record<string, unknown>>;
}

export interface Ended {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: Buffer;
  readonly stderr: Buffer;
}

export interface EndedRun extends Ended {
  readonly records: readonly SandboxRecord[];
}

/** A run with `--json` that goes on. */
export interface LiveRun {
  readonly child: ChildProcess;
  readonly records: readonly SandboxRecord[];
  /** The first record that fits, once it has come. Rejects when the run ends without one. */
  until(fits: (record: SandboxRecord) => boolean): Promise<SandboxRecord>;
  readonly ended: Promise<EndedRun>;
}

/** A state folder and commands that use it; all of it is gone when the test file is done, so that runs can be shared by tests. */
export class Session {
  readonly folder = mkdtempSync(path.join(tmpdir(), 'pi-'));
  readonly runs = path.join(this.folder, 'state/pi-sandbox/runs');
  readonly #children = new Set<ChildProcess>();
  readonly #terminals = new Set<OnTerminal>();
  readonly #deadlineMs: number;
  #count = 0;

  /** `deadlineMs`: after this a command is killed and its test fails. */
  constructor(deadlineMs = DEADLINE_MS) {
    this.#deadlineMs = deadlineMs;
    afterAll(async () => {
      for (const child of [...this.#children, ...this.#terminals]) child.kill('SIGKILL');
      // A command that had to be killed left a container, which the next command of the installation removes.
      if (this.#children.size + this.#terminals.size > 0) await this.cli(['ls']).catch(() => {});
      rmSync(this.folder, { recursive: true, force: true });
    });
  }

  /** A git repository with these files, all of them committed. */
  repository(name: string, files: Readonly<Record<string, string | Buffer>>): string {
    const root = path.join(this.folder, name);
    mkdirSync(root);
    for (const [file, content] of Object.entries(files)) {
      mkdirSync(path.dirname(path.join(root, file)), { recursive: true });
      writeFileSync(path.join(root, file), content);
    }
    git(root, 'init', '-q', '-b', 'main');
    git(root, 'add', '-A');
    git(root, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '--allow-empty', '-m', 'start');
    return root;
  }

  /** Starts `run --json` with a model that speaks these turns. */
  start(repo: string, turns: readonly Turn[], options: RunOptions = {}): LiveRun {
    const { args = [], prompt = 'go' } = options;
    const child = this.spawn(
      ['run', '--repo', repo, '--model', this.script(turns, options.model), '--json', ...args, prompt],
      options,
    );
    const records: SandboxRecord[] = [];
    const listeners = new Set<() => void>();
    const ended = this.#end(child, (chunk) => {
      for (const line of split(chunk)) records.push(JSON.parse(line) as SandboxRecord);
      for (const listener of listeners) listener();
    }).then((result) => ({ ...result, records }));
    const split = lineSplitter();
    ended.catch(() => {});
    const until = (fits: (record: SandboxRecord) => boolean): Promise<SandboxRecord> =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          const found = records.find(fits);
          if (found === undefined) return;
          listeners.delete(look);
          resolve(found);
        };
        listeners.add(look);
        look();
        ended.then(({ stderr }) => reject(new Error(`the run ended without what was waited for: ${stderr}`)), reject);
      });
    return { child, records, until, ended };
  }

  /** Runs to the end. */
  run(repo: string, turns: readonly Turn[], options: RunOptions = {}): Promise<EndedRun> {
    return this.start(repo, turns, options).ended;
  }

  /** Any command to its end. */
  cli(args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    return this.#end(this.spawn(args, options));
  }

  /** A scenario file. Returns the value for `--model`. */
  script(turns: readonly Turn[], model?: RunOptions['model']): string {
    const file = path.join(this.folder, `scenario-${++this.#count}.yaml`);
    writeFileSync(file, JSON.stringify({ ...(model === undefined ? {} : { model }), turns }));
    return `scripted:${file}`;
  }

  /** A program that goes on until it is killed, with all that it started. */
  program(
    program: string,
    args: readonly string[],
    options: RunOptions = {},
  ): { until(text: string): Promise<void>; kill(): void } {
    const child = this.#spawn(program, args, { ...options, detached: true });
    let seen = '';
    return {
      until: (text) =>
        new Promise((resolve, reject) => {
          child.stdout?.on('data', (chunk: Buffer) => {
            seen += chunk.toString();
            if (seen.includes(text)) resolve();
          });
          child.once('close', () => reject(new Error(`${program} ended without "${text}"`)));
        }),
      kill: () => {
        if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL');
      },
    };
  }

  /** A run to its end as another user who may use the engine; only root can become one. Its state folder is `folder`. */
  async runAs(
    uid: number,
    folder: string,
    repo: string,
    turns: readonly Turn[],
    args: readonly string[],
  ): Promise<Ended> {
    mkdirSync(folder);
    chownSync(folder, uid, uid);
    chmodSync(this.folder, 0o755);
    const command = [
      process.execPath,
      BIN,
      'run',
      '--repo',
      repo,
      '--json',
      '--model',
      this.script(turns),
      ...args,
      'go',
    ];
    const options = { env: { XDG_STATE_HOME: folder, HOME: folder }, cwd: folder };
    const [program = '', ...rest] =
      process.getuid?.() === uid
        ? command
        : [
            'setpriv',
            `--reuid=${uid}`,
            `--regid=${uid}`,
            `--groups=${statSync('/var/run/docker.sock').gid}`,
            ...command,
          ];
    return this.exec(program, rest, options);
  }

  /** Any program to its end, with the environment of the session's commands. */
  exec(program: string, args: readonly string[], options: RunOptions = {}): Promise<Ended> {
    return this.#end(this.#spawn(program, args, options));
  }

  /** Any command, on a terminal of its own. */
  pty(args: readonly string[], env: NodeJS.ProcessEnv = {}): OnTerminal {
    const own = { XDG_STATE_HOME: path.join(this.folder, 'state'), NO_COLOR: '1' };
    const started = onTerminal([process.execPath, BIN, ...args], { ...process.env, ...own, ...env });
    this.#terminals.add(started);
    void started.ended.finally(() => this.#terminals.delete(started));
    return started;
  }

  spawn(args: readonly string[], options: RunOptions = {}): ChildProcess {
    return this.#spawn(process.execPath, [BIN, ...args], options);
  }

  #spawn(program: string, args: readonly string[], options: RunOptions): ChildProcess {
    const { env = {}, stdio = ['ignore', 'pipe', 'pipe'], cwd, detached } = options;
    const own = { XDG_STATE_HOME: path.join(this.folder, 'state'), NO_COLOR: '1' };
    const child = spawn(program, args, { env: { ...process.env, ...own, ...env }, stdio, cwd, detached });
    this.#children.add(child);
    child.once('close', () => this.#children.delete(child));
    return child;
  }

  #end(child: ChildProcess, onStdout: (chunk: Buffer) => void = () => {}): Promise<Ended> {
    const [stdout, stderr]: [Buffer[], Buffer[]] = [[], []];
    child.stdout?.on('data', (chunk: Buffer) => {
      stdout.push(chunk);
      onStdout(chunk);
    });
    child.stderr?.on('data', (chunk: Buffer) => stderr.push(chunk));
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        child.kill('SIGKILL');
        reject(new Error(`${child.spawnargs.join(' ')} did not end: ${Buffer.concat(stderr)}`));
      }, this.#deadlineMs);
      child.once('error', reject);
      child.once('close', (code) => {
        clearTimeout(timer);
        resolve({ code, stdout: Buffer.concat(stdout), stderr: Buffer.concat(stderr) });
      });
    });
  }
}

/** A turn that calls bash with each of these commands. */
export function bash(...commands: readonly (string | { command: string; timeout?: number })[]): Turn {
  const tools = commands.map((entry) => (typeof entry === 'string' ? { command: entry } : entry));
  return { tools: tools.map((args) => ({ name: 'bash', arguments: args })) };
}

/** A call of any tool, for the list `tools` of a turn. */
export function call(name: string, args: Readonly<Record<string, unknown>> = {}): Turn {
  return { name, arguments: args };
}

export function git(cwd: string, ...args: readonly string[]): string {
  return execFileSync('git', args, { cwd, encoding: 'utf8', env: { ...process.env, GIT_CONFIG_GLOBAL: '/dev/null' } });
}
