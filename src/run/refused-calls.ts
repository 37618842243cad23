import { Check } from '@sinclair/typebox/value';
import { ToolEnd, ToolStart } from '../events/pi-schema.ts';
import { gateRefusal, type Refusal, refusalOf, refusalText } from '../events/refusal.ts';
import { GateRecord } from '../protocol/gate-record.ts';
import type { GateSummary } from '../protocol/gate-summary.ts';
import type { SandboxRecord } from '../protocol/record.ts';

/** Calls and decisions that are remembered until the end of the call: whatever runs inside can make up as many as it likes. */
const MAX_KEPT = 1_000;

/** The calls of a run that were turned away or failed, and at which stage, from its records in their order. */
export class RefusedCalls {
  readonly #max: number;
  readonly #listed: GateSummary['refused'] = [];
  readonly #numbers = new Map<string, number>();
  readonly #decisions = new Map<string, GateRecord>();
  #starts = 0;
  #count = 0;

  /** `max`: so many are listed, all are counted. */
  constructor(max: number) {
    this.#max = max;
  }

  take(record: SandboxRecord): void {
    if (Check(GateRecord, record)) {
      if (record.stray !== true) keep(this.#decisions, record.call, record);
    } else if (record.type === 'pi') this.#event(record['event']);
  }

  /** All of them; with those that the gate denied and that pi said nothing of. */
  result(): { refused: GateSummary['refused']; refusals: number } {
    for (const { call, tool, ...gate } of this.#decisions.values())
      this.#add(call, tool, gateRefusal({ call, tool, ...gate }));
    this.#decisions.clear();
    return { refused: this.#listed, refusals: this.#count };
  }

  #event(event: unknown): void {
    if (Check(ToolStart, event)) keep(this.#numbers, event.toolCallId, ++this.#starts);
    else if (Check(ToolEnd, event)) {
      const { toolCallId: call, toolName: tool } = event;
      const refusal = refusalOf(event, this.#decisions.get(call));
      this.#add(call, tool, refusal?.stage === 'rewritten result' ? undefined : refusal);
      this.#decisions.delete(call);
      this.#numbers.delete(call);
    }
  }

  #add(call: string, tool: string, refusal: Refusal | undefined): void {
    if (refusal === undefined) return;
    this.#count++;
    if (this.#listed.length === this.#max) return;
    const number = this.#numbers.get(call);
    const { source } = refusal;
    this.#listed.push({ ...(number === undefined ? {} : { number }), call, tool, stage: refusalText(refusal), source });
  }
}

function keep<T>(map: Map<string, T>, key: string, value: T): void {
  map.delete(key);
  map.set(key, value);
  const [oldest] = map.keys();
  if (map.size > MAX_KEPT && oldest !== undefined) map.delete(oldest);
}
