import type { GatePort, GateRefusal, SaidResult, SeenCall } from '../gateway/gate-port.ts';
import type { AskGate, Decision, GateAnswer, GateRequest, JudgedCall } from '../protocol/gate.ts';
import type { GateAskRecord, GateBypassRecord, GateRecord } from '../protocol/gate-record.ts';
import { Asks } from './asks.ts';
import { type Judgement, judge } from './judge.ts';
import { type KnownCall, KnownCalls } from './known-calls.ts';
import { MAX_NOTE_CHARS, MAX_QUESTION_BYTES, MAX_QUESTIONS, MAX_RECORDED_RULES } from './limits.ts';
import { isRefusal, parseQuestion } from './parse-question.ts';
import { recordedArguments } from './recorded-arguments.ts';
import { strangeness } from './strangeness.ts';

export interface GateOptions {
  /** What the policy says of a call. */
  readonly decide: (call: JudgedCall) => Decision | Promise<Decision>;
  /** Absent when nobody can be asked: what would be asked is denied. */
  readonly ask?: AskGate | undefined;
  /** Longest wait for the answer to a question, milliseconds. */
  readonly askTimeoutMs: number;
  /** Tools that the plan allows; nested calls of others are denied. */
  readonly tools: readonly string[];
  /** Absolute folder of the workspace inside. */
  readonly workspace: string;
  /** Keeps a decision durably before it returns. When it throws, the call is not allowed and the run fails. */
  readonly keep: (decision: Pick<GateRecord, 'call' | 'tool' | 'verdict' | 'rule'>) => void;
  readonly record: (record: GateRecord | GateAskRecord | GateBypassRecord) => void;
  /** Milliseconds. */
  readonly now?: () => number;
}

/**
 * The gate of one run: says of each tool call whether it may run, going by what the gateway saw go to pi, and watches
 * whether its word counts for anything.
 *
 * What the watching can show: a call that worked although the host was never asked, or had said no. What it cannot: pi
 * itself tells what came of a call, and whatever runs as pi's user can rewrite pi. A manipulated pi can run a call and
 * report an error, or run what it likes without any call of the model at all. So a bypass on record did happen, or pi
 * was made to say so; none on record means little once bash was allowed. The container is the boundary.
 */
export class Gate implements GatePort {
  readonly questionBytes = MAX_QUESTION_BYTES;
  readonly #options: GateOptions;
  readonly #calls = new KnownCalls();
  readonly #asks: Asks;
  #questions = 0;

  constructor(options: GateOptions) {
    this.#options = options;
    const { ask, askTimeoutMs: timeoutMs, record } = options;
    this.#asks = new Asks({ ask, timeoutMs, record });
  }

  called(call: SeenCall): void {
    this.#calls.observed(call);
  }

  returned(results: readonly SaidResult[]): string | undefined {
    const bypassed = this.#calls.bypassed(results);
    for (const bypass of bypassed) this.#options.record({ source: 'observed', type: 'gate.bypass', ...bypass });
    const [first] = bypassed;
    if (first === undefined) return undefined;
    const how = first.kind === 'unasked' ? 'without asking the gate' : 'although the gate had not allowed it';
    return `A tool call (${first.tool.slice(0, 64)}) was carried out ${how}`;
  }

  async answer(body: Buffer, signal: AbortSignal): Promise<GateAnswer | GateRefusal> {
    const started = this.#now();
    if (++this.#questions > MAX_QUESTIONS) {
      return { refused: 'limit', status: 403, message: `More than ${MAX_QUESTIONS} questions in one run.` };
    }
    const question = parseQuestion(body);
    return isRefusal(question) ? question : this.#about(question, started, signal);
  }

  #about(question: GateRequest, started: number, signal: AbortSignal): Promise<GateAnswer> {
    const { decide, tools, workspace } = this.#options;
    const known = this.#calls.get(question.call);
    const strange = strangeness(question, this.#calls, tools);
    if (strange !== undefined) {
      // The first word about a call is the last one; what is strange later is denied, and changes nothing.
      const stray = known?.answer !== undefined;
      const answer = this.#settle(question, known?.seen ?? 'claimed', started, strange, stray);
      return known !== undefined && !stray ? decided(known, answer) : answer;
    }
    const call = known ?? this.#calls.claimed(question);
    const parts = { decide, workspace, signal, asks: this.#asks };
    return (
      call.answer ??
      decided(
        call,
        judge(question, call.seen === 'claimed', parts).then((found) =>
          this.#settle(question, call.seen, started, found),
        ),
      )
    );
  }

  /** Puts a judgement on record, and only then makes it an answer. */
  async #settle(
    question: GateRequest,
    seen: KnownCall['seen'],
    started: number,
    found: Judgement,
    stray = false,
  ): Promise<GateAnswer> {
    const { verdict, rule, reason, by, arguments: changed, matched } = found;
    const { call, tool, parent } = question;
    this.#options.keep({ call, tool, verdict, rule });
    this.#options.record({
      ...{
        source: 'observed',
        type: 'gate',
        call,
        tool,
        verdict,
        rule,
        reason: reason.slice(0, MAX_NOTE_CHARS),
        by,
        seen,
      },
      ...(parent === undefined ? {} : { parent }),
      ...(stray ? { stray } : {}),
      ...(changed === undefined ? {} : { arguments: recordedArguments(changed) }),
      ...(matched === undefined ? {} : { matched: matched.slice(0, MAX_RECORDED_RULES) }),
      durationMs: Math.round((this.#now() - started) * 10) / 10,
    });
    if (verdict === 'deny') return { v: 1, verdict, reason };
    return changed === undefined ? { v: 1, verdict: 'allow' } : { v: 1, verdict: 'change', arguments: changed };
  }

  #now(): number {
    return this.#options.now?.() ?? performance.now();
  }
}

/** Makes an answer that of a call, for good. Until it is there, nothing says that the call may run. */
function decided(call: KnownCall, answer: Promise<GateAnswer>): Promise<GateAnswer> {
  call.answer = answer.then((found) => {
    call.verdict = found.verdict;
    return found;
  });
  return call.answer;
}
