import { createInterface } from 'node:readline/promises';
import { SandboxError } from '../errors.ts';
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

/** Text of a prompt file. Bytes that are no UTF-8 would reach the model as something else, so they are refused. */
export function decode(bytes: Buffer, where: string): string {
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
