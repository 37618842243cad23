import { Gate, type GateOptions } from '../../src/gate/gate.ts';
import type { GateRefusal } from '../../src/gateway/gate-port.ts';
import type { Decision, GateAnswer } from '../../src/protocol/gate.ts';
import type { GateAskRecord, GateBypassRecord, GateRecord } from '../../src/protocol/gate-record.ts';

export type Args = Readonly<Record<string, unknown>>;

export const decision = (verdict: Decision['verdict'], more: Partial<Decision> = {}): Decision => ({
  ...{
    verdict,
    rule: `a-rule-that-says-${verdict}`,
    reason: `Because of ${verdict}.`,
    subject: 'subject',
    matched: [],
  },
  ...more,
});

/** A gate that writes down all that it does, with what it was asked to decide on. */
export class TestGate {
  readonly kept: unknown[] = [];
  readonly records: (GateRecord | GateAskRecord | GateBypassRecord)[] = [];
  readonly judged: unknown[] = [];
  readonly gate: Gate;

  constructor(options: Partial<GateOptions> = {}) {
    const { decide = () => decision('allow') } = options;
    this.gate = new Gate({
      askTimeoutMs: 1_000,
      tools: ['bash', 'read', 'codemode'],
      workspace: '/workspace',
      keep: (entry) => void this.kept.push(entry),
      record: (entry) => void this.records.push(entry),
      ...options,
      decide: (call) => {
        this.judged.push(call);
        return decide(call);
      },
    });
  }

  /** The gateway saw these calls. */
  saw(...calls: readonly [id: string, tool: string, args: Args | undefined][]): void {
    for (const [id, tool, args] of calls) this.gate.called({ id, tool, arguments: args });
  }

  /** The guard asks. */
  ask(
    call: string,
    tool: string,
    args: Args,
    more: Args = {},
    signal?: AbortSignal,
  ): Promise<GateAnswer | GateRefusal> {
    const question = { v: 1, call, tool, arguments: args, paths: [], ...more };
    return this.gate.answer(Buffer.from(JSON.stringify(question)), signal ?? new AbortController().signal);
  }

  /** pi's next request has these results, each a call id, with `!` before it for an error. */
  back(...results: readonly string[]): string | undefined {
    return this.gate.returned(results.map((text) => ({ call: text.replace('!', ''), isError: text.startsWith('!') })));
  }

  ofType<T extends 'gate' | 'gate.ask' | 'gate.bypass'>(type: T) {
    return this.records.filter((record) => record.type === type);
  }
}
