import { Readable } from 'node:stream';

/** What ended a command that gave no usable result. */
export type CommandFailure = 'not-found' | 'timeout' | 'too-much-output' | 'aborted' | 'signal' | 'exit' | 'failed';

export interface CommandOptions {
  /** Working folder, absolute. */
  readonly cwd: string;
  /** The whole environment of the command: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Bytes for its standard input; closed at once when absent. What a stream of them throws ends the command. */
  readonly input?: Uint8Array | AsyncIterable<Uint8Array>;
  /** Bytes kept of standard output, and of standard error; one more and the command is killed. */
  readonly maxBytes: number;
  /** Milliseconds until it is killed. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
  /** Ctrl-C at our terminal does not reach it: whether it ends is ours to decide. */
  readonly ownGroup?: boolean;
}

export interface CommandResult {
  readonly stdout: Uint8Array;
  readonly stderr: Uint8Array;
}

/** Characters of standard error that an error message repeats. */
const MAX_QUOTED_STDERR = 400;

/** A command that could not be started, was killed, or left with another exit code than 0. */
export class CommandError extends Error {
  override readonly name = 'CommandError';
  readonly reason: CommandFailure;
  readonly exitCode: number | undefined;
  /** Standard error as text, cut. */
  readonly stderr: string;

  constructor(file: string, reason: CommandFailure, what: string, details: { exitCode?: number; stderr?: string }) {
    const stderr = (details.stderr ?? '').trim().slice(0, MAX_QUOTED_STDERR);
    super(`${file} ${what}${stderr === '' ? '' : `: ${stderr}`}`);
    this.reason = reason;
    this.exitCode = details.exitCode;
    this.stderr = stderr;
  }
}

/**
 * Runs a program to its end, without a shell and with nothing of our environment, and returns what it wrote.
 * Throws CommandError for everything but exit code 0. A killed command gets SIGKILL: none of ours needs to clean up.
 */
export async function runCommand(
  file: string,
  args: readonly string[],
  options: CommandOptions,
): Promise<CommandResult> {
  // Loading execa takes 45 ms, so a command line that runs no command does not pay for it.
  const { execa } = await import('execa');
  const input = inputOf(options.input);
  const signals = [options.signal, input.failed].filter((signal) => signal !== undefined);
  const result = await execa(file, args, {
    ...started({ ...options, signal: AbortSignal.any(signals) }),
    ...input.option,
    maxBuffer: options.maxBytes,
    timeout: options.timeoutMs,
  });
  if (input.failed?.aborted === true) throw input.failed.reason;
  checkEnd(file, result, options);
  return { stdout: result.stdout, stderr: result.stderr };
}

export interface StreamOptions extends Omit<CommandOptions, 'input' | 'timeoutMs'> {
  /** Bytes of standard output in all; one more and the command is killed. */
  readonly maxBytes: number;
  /** Milliseconds without output, while somebody waits for it, until it is killed. */
  readonly quietMs: number;
}

/** Bytes kept of the standard error of a command whose output is streamed. */
const MAX_STREAM_STDERR = 64 * 1024;

/**
 * As `runCommand`, for output of any size: it is handed on as it comes and the command waits for a slow reader. Throws
 * CommandError after what was read; a reader that stops early kills the command.
 */
export async function* streamCommand(
  file: string,
  args: readonly string[],
  options: StreamOptions,
): AsyncGenerator<Buffer, void> {
  const { execa } = await import('execa');
  const child = execa(file, args, {
    ...started(options),
    stdin: 'ignore',
    buffer: { stdout: false, stderr: true },
    maxBuffer: { stderr: MAX_STREAM_STDERR },
  });
  const stop = { timedOut: false, isMaxBuffer: false };
  try {
    let bytes = 0;
    const chunks: AsyncIterator<Buffer> = child.stdout[Symbol.asyncIterator]();
    for (;;) {
      const timer = setTimeout(() => {
        stop.timedOut = true;
        child.kill('SIGKILL');
      }, options.quietMs);
      // A stream that breaks is judged by how the command ended.
      const next = await chunks.next().catch(() => undefined);
      clearTimeout(timer);
      if (next === undefined || next.done === true) break;
      bytes += next.value.length;
      stop.isMaxBuffer = bytes > options.maxBytes;
      if (stop.isMaxBuffer) {
        child.kill('SIGKILL');
        break;
      }
      yield next.value;
    }
    // An end that nobody reads on to would never come.
    if (stop.isMaxBuffer) child.stdout.destroy();
    const result = await child;
    checkEnd(file, { ...result, ...stop }, { ...options, timeoutMs: options.quietMs });
  } finally {
    child.kill('SIGKILL');
    child.stdout.destroy();
    await child;
  }
}

/**
 * Runs a program on our own terminal and feeds it, at its pace, until it leaves or the text ends. False when it could not
 * be started; nothing was taken from the source then. Else the source has ended when it settles.
 */
export async function feedCommand(
  file: string,
  args: readonly string[],
  options: Pick<CommandOptions, 'cwd' | 'env'>,
  source: AsyncGenerator<string, void>,
): Promise<boolean> {
  const { execa } = await import('execa');
  const child = execa(file, args, {
    ...started(options),
    stdin: 'pipe',
    stdout: 'inherit',
    stderr: 'inherit',
    buffer: false,
  });
  // Node knows at once whether there is such a program.
  if (child.pid === undefined) {
    await child;
    return false;
  }
  const text = Readable.from(source);
  // Somebody who has seen enough leaves early: that is no failure. What the source throws is.
  let failure: { readonly error: unknown } | undefined;
  text.on('error', (error) => {
    failure = { error };
    child.stdin.end();
  });
  child.stdin.on('error', () => text.destroy());
  text.pipe(child.stdin);
  await child;
  text.destroy();
  // What the source holds (a command, a folder) is let go of before we return.
  await source.return();
  if (failure !== undefined) throw failure.error;
  return true;
}

function started(options: Pick<CommandOptions, 'cwd' | 'env' | 'signal' | 'ownGroup'>) {
  return {
    cwd: options.cwd,
    env: options.env,
    extendEnv: false,
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
    encoding: 'buffer',
    stripFinalNewline: false,
    killSignal: 'SIGKILL',
    detached: options.ownGroup === true,
    reject: false,
  } as const;
}

interface Input {
  readonly option: { readonly stdin: 'ignore' } | { readonly input: Uint8Array | Readable };
  /** Aborted with what a stream threw. */
  readonly failed?: AbortSignal;
}

function inputOf(input: CommandOptions['input']): Input {
  if (input === undefined) return { option: { stdin: 'ignore' } };
  if (input instanceof Uint8Array) return { option: { input } };
  const failed = new AbortController();
  const stream = Readable.from(input, { objectMode: false });
  stream.once('error', (error) => failed.abort(error));
  return { option: { input: stream }, failed: failed.signal };
}

/** What is asked of execa's result. */
interface Ended {
  readonly stderr: Uint8Array | undefined;
  readonly exitCode?: number | undefined;
  readonly signal?: string | undefined;
  readonly code?: string | undefined;
  readonly shortMessage?: string | undefined;
  readonly isCanceled: boolean;
  readonly timedOut: boolean;
  readonly isMaxBuffer: boolean;
  readonly failed: boolean;
}

/** Throws CommandError unless the command left with 0. */
function checkEnd(file: string, ended: Ended, options: { maxBytes: number; timeoutMs: number }): void {
  const stderr = Buffer.from(ended.stderr ?? []).toString('utf8');
  const fail = (reason: CommandFailure, what: string): CommandError =>
    new CommandError(file, reason, what, {
      stderr,
      ...(ended.exitCode === undefined ? {} : { exitCode: ended.exitCode }),
    });
  if (ended.isCanceled) throw fail('aborted', 'was stopped because the run was interrupted');
  if (ended.timedOut) throw fail('timeout', `gave no result within ${options.timeoutMs / 1000} s`);
  if (ended.isMaxBuffer) throw fail('too-much-output', `wrote more than ${options.maxBytes} bytes`);
  if (ended.signal !== undefined) throw fail('signal', `was killed by ${ended.signal}`);
  if (ended.exitCode !== undefined && ended.exitCode !== 0) throw fail('exit', `left with ${ended.exitCode}`);
  if (ended.failed) {
    if (ended.code === 'ENOENT') throw fail('not-found', 'was not found');
    throw fail('failed', `could not be run (${ended.code ?? ended.shortMessage})`);
  }
}
