import { createInterface } from 'node:readline/promises';
import { messageOf, SandboxError } from '../errors.ts';
import { readFileWithin, TooLargeError } from '../lib/read-file.ts';
import { MAX_PROMPT_BYTES, promptTooLong } from '../request/run-request.ts';

/** Reads a prompt from a pipe, to its end. Only called when no prompt was given another way. */
export async function readPrompt(input: NodeJS.ReadStream): Promise<string> {
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of input as AsyncIterable<Buffer>) {
    bytes += chunk.length;
    if (bytes > MAX_PROMPT_BYTES) throw promptTooLong('The prompt on standard input');
    parts.push(chunk);
  }
  return decode(Buffer.concat(parts), 'standard input');
}

/** Reads a prompt from a file. Throws SandboxError `usage`. */
export async function readPromptFile(file: string): Promise<string> {
  try {
    return decode(await readFileWithin(file, MAX_PROMPT_BYTES), file);
  } catch (cause) {
    if (cause instanceof SandboxError) throw cause;
    if (cause instanceof TooLargeError) throw promptTooLong(`The prompt file ${file}`);
    throw new SandboxError('usage', `The prompt file ${file} cannot be read: ${messageOf(cause)}.`, {
      cause,
      hint: 'Name a plain file, or give the prompt on standard input with --prompt-file -.',
    });
  }
}

/** Text of a prompt. Bytes that are no UTF-8 would reach the model as something else, so they are refused. */
function decode(bytes: Buffer, where: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch (cause) {
    throw new SandboxError('usage', `The prompt from ${where} is not UTF-8 text.`, { cause });
  }
}

/** Ctrl-C instead of an answer. */
export const INTERRUPTED = Symbol('interrupted');

/** As `ask`, for a question whose interruption ends the command. Rejects with SandboxError and exit code 130. */
export async function askOrLeave(question: string): Promise<string | undefined> {
  const answer = await ask(question);
  if (answer !== INTERRUPTED) return answer;
  throw new SandboxError('usage', 'Interrupted; nothing was done.', { exitCode: 130 });
}

/** Asks the person at the terminal. Undefined when nothing, or an end of file, was typed. */
export async function ask(question: string): Promise<string | typeof INTERRUPTED | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const aborted = new AbortController();
  let interrupted = false;
  lines.once('SIGINT', () => {
    interrupted = true;
    aborted.abort();
  });
  lines.once('close', () => aborted.abort());
  try {
    const answer = await lines.question(question, { signal: aborted.signal });
    return answer.trim() === '' ? undefined : answer;
  } catch {
    // What comes next starts on a line of its own.
    process.stderr.write('\n');
    return interrupted ? INTERRUPTED : undefined;
  } finally {
    lines.close();
  }
}
