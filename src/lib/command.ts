/** What ended a command that gave no usable result. */
export type CommandFailure = 'not-found' | 'timeout' | 'too-much-output' | 'aborted' | 'signal' | 'exit' | 'failed';

export interface CommandOptions {
  /** Working folder, absolute. */
  readonly cwd: string;
  /** The whole environment of the command: nothing is inherited. */
  readonly env: Readonly<Record<string, string>>;
  /** Bytes for its standard input; closed at once when absent. */
  readonly input?: Uint8Array;
  /** Bytes kept of standard output, and of standard error; one more and the command is killed. */
  readonly maxBytes: number;
  /** Milliseconds until it is killed. */
  readonly timeoutMs: number;
  readonly signal?: AbortSignal;
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
  const result = await execa(file, args, {
    cwd: options.cwd,
    env: options.env,
    extendEnv: false,
    ...(options.input === undefined ? { stdin: 'ignore' } : { input: options.input }),
    ...(options.signal === undefined ? {} : { cancelSignal: options.signal }),
    encoding: 'buffer',
    stripFinalNewline: false,
    maxBuffer: options.maxBytes,
    timeout: options.timeoutMs,
    killSignal: 'SIGKILL',
    reject: false,
  });
  const stderr = Buffer.from(result.stderr).toString('utf8');
  const fail = (reason: CommandFailure, what: string): CommandError =>
    new CommandError(file, reason, what, {
      stderr,
      ...(result.exitCode === undefined ? {} : { exitCode: result.exitCode }),
    });
  if (result.isCanceled) throw fail('aborted', 'was stopped because the run was interrupted');
  if (result.timedOut) throw fail('timeout', `gave no result within ${options.timeoutMs / 1000} s`);
  if (result.isMaxBuffer) throw fail('too-much-output', `wrote more than ${options.maxBytes} bytes`);
  if (result.signal !== undefined) throw fail('signal', `was killed by ${result.signal}`);
  if (result.exitCode !== undefined && result.exitCode !== 0) throw fail('exit', `left with ${result.exitCode}`);
  if (result.failed) {
    if (result.code === 'ENOENT') throw fail('not-found', 'was not found');
    throw fail('failed', `could not be run (${result.code ?? result.shortMessage})`);
  }
  return { stdout: result.stdout, stderr: result.stderr };
}
