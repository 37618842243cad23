import { Check } from '@sinclair/typebox/value';
import { gateRefusal, refusalText } from '../events/refusal.ts';
import { clip } from '../lib/bounded-text.ts';
import { plural } from '../lib/format.ts';
import { GateAskRecord, GateBypassRecord, GateRecord } from '../protocol/gate-record.ts';
import type { SandboxRecord } from '../protocol/record.ts';
import { argumentLine } from './render-arguments.ts';
import type { Screen } from './render-screen.ts';
import { type Style, span } from './render-style.ts';

/** Decisions that are remembered until their calls end. */
const MAX_KEPT = 1_000;
/** Lines about calls that nothing else is shown of: whatever runs inside can make up as many as it likes. */
const MAX_UNSEEN = 20;
const TEXT_CHARS = 300;

/** What the gate decided. A refusal is shown with its call when that ends; the rest here. */
export class GateView {
  readonly #screen: Screen;
  readonly #decisions = new Map<string, GateRecord>();
  /** Call of the open question: they come one at a time. */
  #asked: string | undefined;
  /** Refused calls of other tools that pi has not shown yet, and may not even have. */
  readonly #unshown = new Map<string, GateRecord>();
  #unseen = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  /** Whether it was a record of the gate. */
  record(record: SandboxRecord): boolean {
    if (Check(GateRecord, record)) this.#decision(record);
    else if (Check(GateAskRecord, record)) this.#question(record);
    else if (Check(GateBypassRecord, record)) this.#bypass(record);
    else return false;
    return true;
  }

  /** What was decided about a call that is shown now. */
  of(call: string): GateRecord | undefined {
    this.#unshown.delete(call);
    return this.#decisions.get(call);
  }

  /** What pi has shown nothing of, and what was counted only. */
  end(): void {
    for (const record of this.#unshown.values()) this.#nested(record);
    this.#unshown.clear();
    const hidden = this.#unseen - MAX_UNSEEN;
    if (hidden > 0) this.#screen.line(span('! ', 'yellow'), span(`${plural(hidden, 'more word')} of the gate`));
  }

  #decision(record: GateRecord): void {
    const { call, tool, verdict, by, rule, reason, seen } = record;
    if (record.stray === true) {
      this.#sayUnseen(`a question that is not about the ${tool} call ${call} was refused: `, reason);
      return;
    }
    this.#decisions.delete(call);
    this.#decisions.set(call, record);
    const [oldest] = this.#decisions.keys();
    if (this.#decisions.size > MAX_KEPT && oldest !== undefined) this.#decisions.delete(oldest);
    const refusal = gateRefusal(record);
    const isClaimed = refusal !== undefined && seen === 'claimed';
    if (this.#asked === call) {
      this.#asked = undefined;
      const [word, style] = refusal === undefined ? (['allowed', 'green'] as const) : (['denied', 'red'] as const);
      this.#say('  = ', `${word} (${by === 'answer' ? 'your answer' : by}): `, reason, style);
    } else if (verdict === 'change') this.#say('- ', `${tool} was changed (rule ${rule}): `, reason, 'yellow');
    else if (isClaimed && by === 'gateway') this.#nested(record);
    else if (isClaimed && this.#unshown.size < MAX_KEPT) this.#unshown.set(call, record);
  }

  #nested(record: GateRecord): void {
    const refusal = gateRefusal(record);
    if (refusal === undefined) return;
    const words = `${record.tool}, said to be called by another tool, was refused (${refusalText(refusal)}): `;
    this.#sayUnseen(words, record.reason);
  }

  #question({ call, tool, arguments: args, rule }: GateAskRecord): void {
    this.#asked = call;
    this.#say('? ', `the policy asks (rule ${rule}): `, `${tool}: ${argumentLine(tool, args)}`, 'yellow');
  }

  #bypass({ tool, call, kind }: GateBypassRecord): void {
    const how = kind === 'unasked' ? 'without asking the gate' : 'although the gate had not allowed it';
    this.#sayUnseen('the guard was passed over: ', `${tool} call ${call} was carried out ${how}`);
  }

  #sayUnseen(head: string, text: string): void {
    this.#unseen++;
    if (this.#unseen <= MAX_UNSEEN) this.#say('! ', head, text, 'red');
  }

  #say(mark: string, head: string, text: string, style: Style): void {
    this.#screen.line(span(mark, 'yellow'), span(clip(head, TEXT_CHARS), style), span(clip(text, TEXT_CHARS)));
  }
}
