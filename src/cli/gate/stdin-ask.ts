import { messageOf } from '../../errors.ts';
import { KiB, MiB } from '../../lib/bytes.ts';
import { type Line, lines } from '../../lib/lines.ts';
import { problemText, strictParse } from '../../lib/strict-parse.ts';
import { AskAnswer } from '../../protocol/ask-answer.ts';
import type { AskGate, GateReply } from '../../protocol/gate.ts';

/** A line, and all of them: far more than answers with notes to as many questions as a run can put. */
const LIMITS = { lineBytes: 16 * KiB, totalBytes: 16 * MiB };
/** Complaints about lines that are no answers. */
const MAX_COMPLAINTS = 20;

type Open = PromiseWithResolvers<GateReply>;

/**
 * Answers of a program, as JSON lines. It is read from the start of the run on, so that a line that comes before its
 * question is passed over and never lies in wait for one.
 */
export class StdinAsk {
  readonly #open = new Map<number, Open>();
  readonly #warn: (text: string) => void;
  #complaints = 0;
  /** Why nobody will answer any more. */
  #over: string | undefined;

  constructor(input: AsyncIterable<Buffer>, warn: (text: string) => void) {
    this.#warn = warn;
    void this.#read(input);
  }

  readonly ask: AskGate = ({ ask }, signal) => {
    if (this.#over !== undefined) return Promise.reject(new Error(this.#over));
    const open: Open = Promise.withResolvers();
    const withdraw = (): void => open.reject(signal.reason);
    this.#open.set(ask, open);
    signal.addEventListener('abort', withdraw, { once: true });
    return open.promise.finally(() => {
      signal.removeEventListener('abort', withdraw);
      this.#open.delete(ask);
    });
  };

  async #read(input: AsyncIterable<Buffer>): Promise<void> {
    let why = 'standard input has ended';
    try {
      for await (const line of lines(input, LIMITS)) this.#take(line);
    } catch (error) {
      why = `standard input cannot be read: ${messageOf(error)}`;
    }
    this.#over = why;
    this.#warn(`${why}; questions of the policy are denied from now on`);
    for (const { reject } of this.#open.values()) reject(new Error(why));
  }

  #take(line: Line): void {
    const answer = parsed(line);
    if (answer === undefined) return;
    if (typeof answer === 'string') {
      this.#complain(answer);
      return;
    }
    const { ask, decision, note } = answer;
    const open = this.#open.get(ask);
    if (open === undefined) {
      this.#complain(`no question ${ask} is open`);
      return;
    }
    this.#open.delete(ask);
    open.resolve(decision === 'deny' ? { decision, ...(note === undefined ? {} : { note }) } : { decision });
  }

  #complain(why: string): void {
    this.#complaints++;
    if (this.#complaints > MAX_COMPLAINTS) return;
    const last = this.#complaints === MAX_COMPLAINTS ? ' Of further ones nothing is said.' : '';
    this.#warn(`a line on standard input is no answer: ${why}. Open questions stay open.${last}`);
  }
}

/** An answer, what is wrong with it, or undefined for an empty line. */
function parsed(line: Line): AskAnswer | string | undefined {
  if (line.kind === 'overlong') return `it has ${line.bytes} bytes, of ${LIMITS.lineBytes} at most`;
  if (line.kind === 'torn') return 'its newline is missing, so it may be cut off';
  const text = line.content.toString('utf8').trim();
  if (text === '') return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'it is no JSON';
  }
  const checked = strictParse(AskAnswer, value);
  return checked.ok ? checked.value : problemText(checked.problems);
}
