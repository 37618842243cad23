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
    if (bytes > MAX_PROMPT_BYTES) throw promptTooLong('on standard input has more bytes');
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
    if (cause instanceof TooLargeError) throw promptTooLong(`file ${file} is too large: ${cause.message}`);
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

/** Asks the person at the terminal. Undefined when nothing, or an end of file, was typed. */
export async function ask(question: string): Promise<string | undefined> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const aborted = new AbortController();
  lines.once('SIGINT', () => aborted.abort());
  lines.once('close', () => aborted.abort());
  try {
    const answer = await lines.question(question, { signal: aborted.signal });
    return answer.trim() === '' ? undefined : answer;
  } catch {
    return undefined;
  } finally {
    lines.close();
  }
}
