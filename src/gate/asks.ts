import type { AskGate, Decision, GateQuestion, GateReply } from '../protocol/gate.ts';
import type { GateAskRecord } from '../protocol/gate-record.ts';
import { MAX_ASKS, MAX_NOTE_CHARS } from './limits.ts';
import { recordedArguments } from './recorded-arguments.ts';

export interface AsksOptions {
  /** Absent when nobody can be asked. */
  readonly ask: AskGate | undefined;
  readonly timeoutMs: number;
  readonly record: (record: GateAskRecord) => void;
}

/** What came of a question. */
export interface Asked {
  readonly allowed: boolean;
  readonly by: 'answer' | 'no answer';
  /** For the model. */
  readonly reason: string;
}

/** Puts questions to the person or program that is responsible for the run: one at a time, in the order in which they came. */
export class Asks {
  readonly #options: AsksOptions;
  /** Rule and subject of what was allowed for this run. */
  readonly #allowed = new Set<string>();
  #last: Promise<unknown> = Promise.resolve();
  #count = 0;

  constructor(options: AsksOptions) {
    this.#options = options;
  }

  put(call: Pick<GateQuestion, 'call' | 'tool' | 'arguments' | 'claimed'>, decision: Decision, signal: AbortSignal) {
    const turn = this.#last.then(() => this.#put(call, decision, signal));
    this.#last = turn.catch(() => {});
    return turn;
  }

  async #put(
    call: Pick<GateQuestion, 'call' | 'tool' | 'arguments' | 'claimed'>,
    { rule, reason, subject }: Decision,
    signal: AbortSignal,
  ): Promise<Asked> {
    const { ask, timeoutMs, record } = this.#options;
    const key = JSON.stringify([rule, subject]);
    if (this.#allowed.has(key)) return { allowed: true, by: 'answer', reason: 'Allowed for this run before.' };
    const unanswered = (why: string): Asked => ({ allowed: false, by: 'no answer', reason: `${reason} ${why}` });
    if (ask === undefined) {
      return unanswered('The policy asks a person about this call, and in this run nobody can be asked.');
    }
    if (this.#count >= MAX_ASKS) {
      return unanswered(`The policy asks a person about this call, and after ${MAX_ASKS} questions no more are put.`);
    }
    if (signal.aborted) return unanswered('It was not waited for.');
    const question: GateQuestion = { ...call, ask: ++this.#count, rule, reason, subject, timeoutMs };
    record({ source: 'observed', type: 'gate.ask', ...question, arguments: recordedArguments(call.arguments) });
    const reply = await inTime(ask, question, signal);
    if (reply === 'late') return unanswered(`Nobody answered within ${timeoutMs / 1000} s.`);
    if (reply === 'failed') return unanswered('No answer could be had.');
    if (reply.decision === 'deny') {
      const note = reply.note?.slice(0, MAX_NOTE_CHARS);
      return { allowed: false, by: 'answer', reason: note ? `Denied by the user: ${note}` : 'Denied by the user.' };
    }
    if (reply.decision === 'run') this.#allowed.add(key);
    const words = reply.decision === 'run' ? 'Allowed for this run.' : 'Allowed once.';
    return { allowed: true, by: 'answer', reason: words };
  }
}

async function inTime(
  ask: AskGate,
  question: GateQuestion,
  given: AbortSignal,
): Promise<GateReply | 'late' | 'failed'> {
  const abort = new AbortController();
  const gone = Promise.withResolvers<'late' | 'failed'>();
  const late = (): void => {
    gone.resolve('late');
    abort.abort(new Error('the time for the answer is over'));
  };
  // Who is asked may end the turn by way of an answer, which then is one and comes at once.
  const withdrawn = (): void => {
    abort.abort(new Error('nobody waits for the answer'));
    setImmediate(() => gone.resolve('failed'));
  };
  const timer = setTimeout(late, question.timeoutMs);
  given.addEventListener('abort', withdrawn, { once: true });
  try {
    const asked = ask(question, abort.signal).catch(() => 'failed' as const);
    return await Promise.race([asked, gone.promise]);
  } catch {
    return 'failed';
  } finally {
    clearTimeout(timer);
    given.removeEventListener('abort', withdrawn);
  }
}
