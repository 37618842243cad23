import { type ChildProcess, spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, onTestFinished } from 'vitest';

export const BIN = path.join(import.meta.dirname, '../../bin/pi-sandbox.mjs');
const DEFAULT_TIMEOUT_MS = 60_000;

/** Standard input on which nothing ever happens. */
export const OPEN = Symbol('open');

export interface CliOptions {
  /** Set on top of this process's environment; undefined removes a variable. Give XDG_STATE_HOME to share a state folder. */
  readonly env?: Readonly<Record<string, string | undefined>>;
  readonly cwd?: string;
  /** For standard input, which is closed after it; without one it is empty. OPEN: nothing comes, no end either. */
  readonly input?: string | Buffer | typeof OPEN;
  /** The command leads a process group of its own, so that the whole group can be signalled by `-child.pid`. */
  readonly group?: boolean;
  /** Another copy of the product to start, its bin file. */
  readonly bin?: string;
  /** A command that starts it, with its arguments: `setpriv --no-new-privs` and the like. */
  readonly via?: readonly string[];
  /** After this the command is killed and the test fails, milliseconds. */
  readonly timeoutMs?: number;
}

export interface CliResult {
  /** Null when a signal ended it. */
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
  readonly stdoutBytes: Buffer;
}

/** A command that is still running. */
export interface LiveCli {
  readonly child: ChildProcess;
  /** What it has written so far. */
  readonly stdout: string;
  readonly stderr: string;
  /** Settles when the text, or a match, has appeared on either stream; rejects when the command ends before. */
  until(text: string | RegExp): Promise<void>;
  readonly ended: Promise<CliResult>;
}

/** A folder for one test, removed after it. Its path is short enough for control sockets. */
export function tempFolder(prefix = 'pi-'): string {
  const folder = mkdtempSync(path.join(tmpdir(), prefix));
  afterwards(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** A scenario file with this text. Returns the value for `--model`. */
export function scenario(yamlText: string): string {
  const file = path.join(tempFolder(), 'scenario.yaml');
  writeFileSync(file, yamlText);
  return `scripted:${file}`;
}

/** Starts the built command line as a process of its own, with a state folder of its own unless `env` names one. */
export function startCli(args: readonly string[], options: CliOptions = {}): LiveCli {
  const env = { ...process.env, ...ownState(options), NO_COLOR: '1', ...options.env };
  const { bin = BIN, via = [], cwd, group = false } = options;
  const [file = process.execPath, ...rest] = [...via, process.execPath, bin, ...args];
  const child = spawn(file, rest, { cwd, env, stdio: 'pipe', detached: group });
  const out: Buffer[] = [];
  const err: Buffer[] = [];
  const listeners = new Set<() => void>();
  const keep = (parts: Buffer[]) => (chunk: Buffer) => {
    parts.push(chunk);
    for (const listener of listeners) listener();
  };
  child.stdout.on('data', keep(out));
  child.stderr.on('data', keep(err));
  child.stdin.on('error', () => {});
  if (options.input !== OPEN) child.stdin.end(options.input ?? '');
  const stdout = () => Buffer.concat(out).toString();
  const stderr = () => Buffer.concat(err).toString();
  const described = () => `pi-sandbox ${args.join(' ')}\n--- stdout\n${stdout()}\n--- stderr\n${stderr()}`;
  const { timeoutMs = DEFAULT_TIMEOUT_MS } = options;
  const ended = new Promise<CliResult>((resolve, reject) => {
    const timer = setTimeout(() => {
      process.kill(killed(child, options), 'SIGKILL');
      reject(new Error(`Not ended after ${timeoutMs} ms: ${described()}`));
    }, timeoutMs);
    child.once('error', reject);
    child.once('close', (code) => {
      clearTimeout(timer);
      resolve({ code, stdout: stdout(), stderr: stderr(), stdoutBytes: Buffer.concat(out) });
    });
  });
  ended.catch(() => {});
  afterwards(() => {
    if (child.exitCode === null && child.signalCode === null) process.kill(killed(child, options), 'SIGKILL');
  });
  return {
    child,
    get stdout() {
      return stdout();
    },
    get stderr() {
      return stderr();
    },
    until: (text) =>
      new Promise<void>((resolve, reject) => {
        const seen = (where: string) => (typeof text === 'string' ? where.includes(text) : text.test(where));
        const look = () => {
          if (!seen(stdout()) && !seen(stderr())) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
        ended.then(() => reject(new Error(`Ended without "${text}": ${described()}`)), reject);
      }),
    ended,
  };
}

/** Runs the built command line to its end. */
export function runCli(args: readonly string[], options: CliOptions = {}): Promise<CliResult> {
  return startCli(args, options).ended;
}

/** What a signal for the command has to name: its process, or its group. */
function killed(child: ChildProcess, { group }: CliOptions): number {
  const pid = child.pid ?? 0;
  if (pid <= 0) throw new Error('the command was not started');
  return group === true ? -pid : pid;
}

const atEnd: (() => void)[] = [];
afterAll(() => {
  for (const work of atEnd.splice(0).reverse()) work();
});

/** After the test, or after the file for what a hook started. */
function afterwards(work: () => void): void {
  try {
    onTestFinished(work);
  } catch {
    atEnd.push(work);
  }
}

function ownState({ env }: CliOptions): Record<string, string> {
  return env !== undefined && 'XDG_STATE_HOME' in env ? {} : { XDG_STATE_HOME: tempFolder() };
}
