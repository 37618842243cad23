import { SandboxError } from '../errors.ts';
import { sanitize } from '../lib/sanitize.ts';

/** Prints what went wrong in one paragraph and returns the exit code. A stack is shown only for a fault of ours. */
export function fail(error: unknown, write: (text: string) => void = (text) => process.stderr.write(text)): number {
  if (error instanceof SandboxError) {
    const hint = error.hint === undefined ? '' : ` ${error.hint}`;
    write(`pi-sandbox: ${sanitize(`${error.message}${hint}`, { keepNewlines: false })}\n`);
    return error.exitCode;
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  write(`pi-sandbox: a fault of pi-sandbox itself; please report it.\n${sanitize(text, { keepNewlines: true })}\n`);
  return 5;
}
