import { CommandError, runCommand } from '../../lib/command.ts';
import { DeadlineError, withDeadline } from '../../lib/deadline.ts';
import { ConfigValueError } from './config-value.ts';

/** A person may have to touch a key or type a passphrase; nobody waits longer for a program. */
const TIMEOUT_MS = 30_000;
/** A program that is killed may leave children with its pipe: they are not waited for. */
const GRACE_MS = 500;
/** Bytes of a key; those of a cloud's service account have some 2,000. */
const MAX_BYTES = 64 << 10;
/** How long what a command printed is used again, milliseconds. */
const VALID_MS = 5 * 60_000;

export interface CommandPlace {
  /** Folder in which commands run: never that of the repository, whose programs are not the user's. */
  readonly cwd: string;
  readonly env: Readonly<Record<string, string>>;
}

/** Runs the commands that print keys, on the host. What they print is shown to nobody. */
export class SecretCommands {
  readonly #place: () => CommandPlace;
  readonly #known = new Map<string, { readonly value: Promise<string>; readonly until: number }>();

  constructor(place: () => CommandPlace) {
    this.#place = place;
  }

  /** What the command printed, without blanks around it. Calls at once share one. Rejects with ConfigValueError. */
  run(command: string): Promise<string> {
    const known = this.#known.get(command);
    if (known !== undefined && Date.now() < known.until) return known.value;
    const value = this.#run(command);
    this.#known.set(command, { value, until: Date.now() + VALID_MS });
    value.catch(() => this.#known.delete(command));
    return value;
  }

  async #run(command: string): Promise<string> {
    let printed: string;
    try {
      // What it says on standard error is for nobody, and may be long.
      const running = runCommand('/bin/sh', ['-c', `exec 2>/dev/null\n${command}`], {
        ...this.#place(),
        maxBytes: MAX_BYTES,
        timeoutMs: TIMEOUT_MS,
      });
      const { stdout } = await withDeadline('the command', TIMEOUT_MS + GRACE_MS, running);
      printed = Buffer.from(stdout).toString('utf8').trim();
    } catch (error) {
      throw new ConfigValueError(`its command ${reasonOf(error)}`, { cause: error });
    }
    if (printed === '') throw new ConfigValueError('its command printed nothing');
    // A header cannot carry them.
    if (/[\u0000-\u001f\u007f]/.test(printed)) throw new ConfigValueError('its command printed more than one line');
    return printed;
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof DeadlineError) return `gave no result within ${TIMEOUT_MS / 1000} s`;
  if (!(error instanceof CommandError)) return 'could not be run';
  const { reason, exitCode } = error;
  if (reason === 'timeout') return `gave no result within ${TIMEOUT_MS / 1000} s`;
  if (reason === 'too-much-output') return `printed more than ${MAX_BYTES} bytes`;
  if (reason === 'exit') return `left with exit code ${exitCode}`;
  return reason === 'signal' ? 'was killed' : 'could not be run';
}
