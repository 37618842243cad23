import { Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { Outcome } from '../protocol/outcome.ts';
import type { SandboxRecord } from '../protocol/record.ts';
import { BOUNDARY } from './boundary.ts';
import { Progress } from './progress.ts';
import { showAnswer } from './render-answer.ts';
import { changesLines, handBackOf } from './render-changes.ts';
import { GateView } from './render-gate.ts';
import { ObservedView } from './render-observed.ts';
import { PiView } from './render-pi.ts';
import { type Output, Screen } from './render-screen.ts';
import { type Span, span } from './render-style.ts';
import { UsageView } from './render-usage.ts';

export type { Output } from './render-screen.ts';

/** A piece of a model answer as the gateway sees it pass. Not recorded. */
export interface Delta {
  /** Number of the model call. */
  readonly call: number;
  readonly kind: 'text' | 'thinking' | 'toolcall';
  readonly text: string;
}

export interface RendererOptions {
  /** Whether escape codes may be written: lines are redrawn in place. */
  readonly terminal: boolean;
  /** Colours; never used without a terminal. */
  readonly color: boolean;
  /** Only the outcome and what went wrong. */
  readonly quiet: boolean;
  /** How commands that are named call the run; its id where nothing is given. */
  readonly ref?: string;
  /** Milliseconds of any steady clock, for tests. */
  readonly now?: () => number;
}

/** What a quiet run keeps silent about. */
const CHATTER = new Set(['pi', 'notice', 'run_started', 'imported', 'gateway.response', 'gate', 'gate.ask']);

/** A finished answer of the model as the gateway saw it. */
const Answer = Type.Object({ stopReason: Type.String(), text: Type.String(), error: Type.Optional(Type.String()) });

/** The human transcript: the same for a live run and for recorded records (`logs`), where there are no deltas. */
export class Renderer {
  readonly #screen: Screen;
  readonly #pi: PiView;
  readonly #gate: GateView;
  readonly #observed: ObservedView;
  readonly #progress: Progress;
  readonly #usage = new UsageView();
  readonly #quiet: boolean;
  readonly #ref: string | undefined;
  /** What the run hands back: said last, where it is still on the screen. */
  #changes: Span[][] = [];
  /** Call and kind of the text that is being streamed. */
  #streaming = '';
  /** Model calls whose text is on the screen already. */
  #shown = 0;
  #ended = false;

  constructor(out: Output, { terminal, color, quiet, ref, now = () => performance.now() }: RendererOptions) {
    this.#screen = new Screen(out, { terminal, color });
    this.#gate = new GateView(this.#screen);
    this.#pi = new PiView(this.#screen, this.#gate, now);
    this.#observed = new ObservedView(this.#screen);
    this.#progress = new Progress(this.#screen, now);
    this.#quiet = quiet;
    this.#ref = ref;
  }

  record(record: SandboxRecord): void {
    this.#usage.count(record);
    if (this.#quiet && CHATTER.has(record.type)) return;
    const handBack = handBackOf(record);
    if (handBack !== undefined) this.#changes = changesLines(handBack, this.#ref ?? record.run);
    else if (record.type === 'pi') this.#pi.event(record['event'], record.run);
    else if (record.type === 'outcome') this.#outcome(record);
    else if (record.type === 'gateway.response') this.#answer(record);
    else if (!this.#gate.record(record)) this.#observed.record(record);
  }

  /** Thinking is shown dim, or marked where there are no colours; arguments of tool calls come with the call. */
  delta({ call, kind, text }: Delta): void {
    if (this.#quiet || kind === 'toolcall' || text === '') return;
    const streaming = `${call} ${kind}`;
    if (streaming !== this.#streaming) {
      this.#screen.endStream();
      if (kind === 'thinking') this.#screen.line(span('(thinking)', 'dim'));
    }
    this.#streaming = streaming;
    this.#pi.leaveOutModel();
    if (kind === 'text') this.#shown = Math.max(this.#shown, call);
    this.#screen.stream(text, kind === 'thinking' ? 'dim' : 'plain');
  }

  /** A word to the user that is not part of the record. */
  notice(text: string): void {
    if (!this.#quiet) this.#progress.step(text);
  }

  /** What is going on, until anything else is shown. */
  status(text: string): void {
    if (!this.#quiet) this.#progress.update(text);
  }

  /** The last lines: usage as observed, and how the run ended. Says it once. */
  end({ outcome, reason, exitCode, limit }: Outcome): void {
    if (this.#ended) return;
    this.#ended = true;
    this.#screen.endStream();
    this.#screen.clearLive();
    if (!this.#quiet) this.#pi.end(limit);
    this.#gate.end();
    this.#observed.end(exitCode !== 0);
    if (!this.#quiet) for (const line of [this.#usage.line(), BOUNDARY]) this.#screen.line(span(line, 'dim'));
    const name = `${outcome.replaceAll('_', ' ')}${limit === undefined ? '' : ` (${limit})`}: `;
    this.#screen.line(span(name, exitCode === 0 ? 'green' : 'red'), span(reason));
    for (const line of this.#changes) this.#screen.line(...line);
  }

  /** In a recording nothing was streamed: there the gateway's record is where the model's words come from. */
  #answer(record: SandboxRecord): void {
    if (record.source !== 'observed' || !Check(Answer, record)) return;
    this.#pi.leaveOutModel();
    const streamed = typeof record['call'] === 'number' && record['call'] <= this.#shown;
    showAnswer(this.#screen, { text: streamed ? '' : record.text, stopReason: record.stopReason, error: record.error });
  }

  #outcome(record: SandboxRecord): void {
    const { outcome, exitCode, reason, limit } = record;
    const value = { outcome, exitCode, reason, ...(limit === undefined ? {} : { limit }) };
    if (Check(Outcome, value)) this.end(value);
  }

  /** Leaves the terminal to somebody else: a question. What comes meanwhile waits. */
  wait(): void {
    this.#screen.wait();
  }

  goOn(): void {
    this.#screen.goOn();
  }

  /** Leaves the terminal as it should be when something else writes next: a question, an error, the shell. */
  close(): void {
    this.#screen.endStream();
    this.#screen.clearLive();
  }
}
