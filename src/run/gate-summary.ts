import path from 'node:path';
import { Check } from '@sinclair/typebox/value';
import { GateAskRecord, GateBypassRecord, GateRecord } from '../protocol/gate-record.ts';
import type { GateSummary } from '../protocol/gate-summary.ts';
import { readTranscript } from '../transcript/read-transcript.ts';
import { TRANSCRIPT_FILE } from '../transcript/transcript.ts';
import { worthOfGuard } from './guard-worth.ts';
import { RefusedCalls } from './refused-calls.ts';

/** Rules, refused calls, questions and bypasses that are listed one by one. */
const MAX_LISTED = 50;

/** Sums up what the gate did. `tools` are those of the run. @throws SandboxError `state` when there is no transcript */
export async function gateSummary(runFolder: string, tools: readonly string[]): Promise<GateSummary> {
  const summary = new Summary();
  const refused = new RefusedCalls(MAX_LISTED);
  for await (const record of readTranscript(path.join(runFolder, TRANSCRIPT_FILE))) {
    if ('torn' in record) continue;
    refused.take(record);
    if (Check(GateRecord, record)) summary.decided(record);
    else if (Check(GateAskRecord, record)) summary.asked(record);
    else if (Check(GateBypassRecord, record)) summary.bypassed(record);
  }
  return { ...summary.result(tools), ...refused.result() };
}

class Summary {
  readonly #calls = { allowed: 0, changed: 0, denied: 0 };
  readonly #stopped = new Map<string, { rule: string; by: GateRecord['by']; calls: number }>();
  readonly #questions: GateSummary['questions'] = [];
  readonly #bypasses: GateSummary['bypasses'] = [];
  /** The question that is open, while it is listed. */
  readonly #open = new Map<string, GateSummary['questions'][number]>();
  #claimed = 0;
  #asked = 0;
  #bypassed = 0;

  decided({ call, verdict, rule, by, seen, stray }: GateRecord): void {
    this.#calls[({ allow: 'allowed', change: 'changed', deny: 'denied' } as const)[verdict]]++;
    if (seen === 'claimed') this.#claimed++;
    const question = stray === true ? undefined : this.#open.get(call);
    if (stray !== true) this.#open.delete(call);
    if (question !== undefined && by === 'answer') question.answer = verdict === 'deny' ? 'denied' : 'allowed';
    if (verdict !== 'deny') return;
    const key = JSON.stringify([rule, by]);
    const stopped = this.#stopped.get(key) ?? { rule, by, calls: 0 };
    stopped.calls++;
    this.#stopped.set(key, stopped);
  }

  asked({ ask, call, tool, rule, subject }: GateAskRecord): void {
    this.#asked++;
    if (this.#questions.length === MAX_LISTED) return;
    const question = { ask, call, tool, rule, subject, answer: 'none' as const };
    this.#questions.push(question);
    this.#open.set(call, question);
  }

  bypassed({ call, tool, kind }: GateBypassRecord): void {
    this.#bypassed++;
    if (this.#bypasses.length < MAX_LISTED) this.#bypasses.push({ call, tool, kind });
  }

  result(tools: readonly string[]): Omit<GateSummary, 'refused' | 'refusals'> {
    const stopped = [...this.#stopped.values()].sort((a, b) => b.calls - a.calls);
    return {
      calls: this.#calls,
      claimed: this.#claimed,
      stopped: stopped.slice(0, MAX_LISTED),
      rules: stopped.length,
      questions: this.#questions,
      asked: this.#asked,
      bypasses: this.#bypasses,
      bypassed: this.#bypassed,
      worth: worthOfGuard(tools, this.#bypassed),
    };
  }
}
