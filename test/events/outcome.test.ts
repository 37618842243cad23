import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decideOutcome } from '../../src/events/outcome.ts';
import type { RunFacts } from '../../src/events/run-facts.ts';

const good: RunFacts = {
  gateway: { requests: 2, lastStopReason: 'stop' },
  piExit: { code: 0 },
  promptAccepted: true,
  settled: true,
  damaged: { torn: 0 },
};
/** Some facts changed, or left out. */
type Some = { [K in keyof RunFacts]?: RunFacts[K] | undefined };
const gateway = (more: Partial<RunFacts['gateway']>) => ({ gateway: { ...good.gateway, ...more } });

describe('decideOutcome', () => {
  it.each<[string, Some, string, number, RegExp]>([
    ['a whole run', {}, 'completed', 0, /left in order/],
    [
      'a failed model call',
      gateway({ lastStopReason: 'error', lastError: 'overloaded' }),
      'agent_failed',
      1,
      /failed: overloaded\.$/,
    ],
    ['a cut answer', gateway({ lastStopReason: 'length' }), 'agent_failed', 1, /limit of output tokens/],
    ['pi leaving before its tools', gateway({ lastStopReason: 'toolUse' }), 'agent_failed', 1, /asked for tools/],
    ['an aborted answer', gateway({ lastStopReason: 'aborted' }), 'agent_failed', 1, /aborted/],
    ['a new stop reason', gateway({ lastStopReason: 'sensitive' }), 'agent_failed', 1, /"sensitive"/],
    ['a crash of pi', { piExit: { code: 1 } }, 'agent_failed', 1, /exit code 1/],
    ['a killed pi', { piExit: { code: 137 } }, 'agent_failed', 1, /137 \(signal 9\)/],
    ['an unknown exit code', { piExit: { code: null } }, 'agent_failed', 1, /unknown exit code/],
    ['a stream without its last event (D04)', { settled: false }, 'agent_failed', 1, /incomplete/],
    ['a stream that ends inside a line (D04)', { damaged: { torn: 1 } }, 'agent_failed', 1, /inside a line/],
    ['pi that never asked', { gateway: { requests: 0 } }, 'agent_failed', 1, /without asking the model/],
    ['pi that was never answered', { gateway: { requests: 1 } }, 'agent_failed', 1, /no answer/],
    [
      'exit 0 without a word',
      { gateway: { requests: 0 }, promptAccepted: false },
      'sandbox_failed',
      5,
      /exit code 0 before it took/,
    ],
    [
      'pi that did not start',
      { gateway: { requests: 0 }, promptAccepted: false, piExit: { code: 1 } },
      'sandbox_failed',
      5,
      /before it took/,
    ],
    ['an end that nobody saw', { piExit: undefined }, 'sandbox_failed', 5, /not observed/],
    ['memory', { piExit: { code: 137, oom: true } }, 'limit_reached', 4, /--memory/],
    [
      'memory, noticed by the stream that broke',
      {
        piExit: { code: 137, oom: true },
        failure: { code: 'wire', message: 'pi ended.' },
        order: ['failure'],
      },
      'limit_reached',
      4,
      /--memory/,
    ],
    ['a tool killed for memory only', { piExit: { code: 0, oom: true } }, 'completed', 0, /./],
    [
      'wall time',
      { limit: { name: 'wallMs', message: 'The run took longer than 60 m' }, piExit: { code: 137 } },
      'limit_reached',
      4,
      /60 m\.$/,
    ],
    [
      'a cap of the gateway',
      gateway({ failure: { kind: 'limit', limit: 'requests', message: '200 calls' } }),
      'limit_reached',
      4,
      /200 calls/,
    ],
    [
      'a scenario that ends',
      gateway({ failure: { kind: 'scenario', message: 'turn 3 expects x' } }),
      'agent_failed',
      1,
      /turn 3/,
    ],
    [
      'a fault of the gateway',
      gateway({ failure: { kind: 'internal', message: 'ledger full' } }),
      'sandbox_failed',
      5,
      /ledger/,
    ],
    [
      'wrong tools at the start',
      { gateway: { requests: 0, failure: { kind: 'tools', message: 'bash is missing' } } },
      'sandbox_failed',
      5,
      /bash/,
    ],
    [
      'wrong tools later',
      gateway({ failure: { kind: 'tools', message: 'bash was added' } }),
      'policy_stopped',
      4,
      /bash/,
    ],
    [
      'refused credentials',
      { gateway: { requests: 1, lastStopReason: 'error', failure: { kind: 'model', message: '401' } } },
      'agent_failed',
      1,
      /401/,
    ],
    ['Ctrl-C', { signal: 'SIGINT', piExit: { code: 143 } }, 'interrupted', 130, /terminal/],
    ['SIGTERM', { signal: 'SIGTERM', settled: false }, 'interrupted', 143, /SIGTERM/],
    ['the stop command', { signal: 'stop' }, 'interrupted', 143, /stop command/],
    [
      'a lost engine',
      { failure: { code: 'engine', message: 'The engine went away.' } },
      'sandbox_failed',
      5,
      /engine went away\.$/,
    ],
  ])('%s', (_, facts, outcome, exitCode, reason) => {
    const decided = decideOutcome({ ...good, ...facts } as RunFacts);
    expect(decided).toMatchObject({ outcome, exitCode });
    expect(decided.reason).toMatch(reason);
    expect(decided.reason).toMatch(/^[^\n]+[.!?]$/);
  });

  it('names the limit that was hit', () => {
    expect(decideOutcome({ ...good, limit: { name: 'idleMs', message: 'quiet' } }).limit).toBe('idleMs');
    expect(
      decideOutcome({ ...good, ...gateway({ failure: { kind: 'limit', limit: 'outputTokens', message: 'x' } }) }).limit,
    ).toBe('outputTokens');
  });

  it('exits with 2 for bad input only while nothing was started', () => {
    const failure = { code: 'repository' as const, message: 'not a folder' };
    const before = { gateway: { requests: 0 }, promptAccepted: false, settled: false, damaged: { torn: 0 } };
    expect(decideOutcome({ ...before, failure }).exitCode).toBe(2);
    expect(decideOutcome({ ...good, failure }).exitCode).toBe(5);
  });

  it('never completes when changes were lost, and names what else went wrong first', () => {
    const lost = { ...good, changesLost: 'the engine went away' };
    expect(decideOutcome(lost)).toEqual({
      outcome: 'sandbox_failed',
      exitCode: 5,
      reason: 'The changes could not be taken out: the engine went away.',
    });
    expect(decideOutcome({ ...lost, signal: 'SIGINT' }).exitCode).toBe(130);
    expect(decideOutcome({ ...lost, piExit: { code: 1 } }).exitCode).toBe(1);
  });

  it('lets the first stop name the outcome', () => {
    const both: RunFacts = { ...good, signal: 'SIGINT', limit: { name: 'wallMs', message: 'late' } };
    expect(decideOutcome({ ...both, order: ['limit', 'signal'] }).outcome).toBe('limit_reached');
    expect(decideOutcome({ ...both, order: ['signal', 'limit'] }).outcome).toBe('interrupted');
    expect(decideOutcome(both).outcome).toBe('interrupted');
  });
});

const text = fc.constantFrom('a', 'b.');
const opt = <T>(value: fc.Arbitrary<T>) => fc.option(value, { nil: undefined });
const anyFacts = fc.record({
  signal: opt(fc.constantFrom('SIGINT', 'SIGTERM', 'stop')),
  failure: opt(fc.record({ code: fc.constantFrom('engine', 'usage', 'internal'), message: text })),
  limit: opt(fc.record({ name: text, message: text })),
  gateway: fc.record({
    requests: fc.nat(3),
    lastStopReason: opt(fc.constantFrom('stop', 'toolUse', 'error', 'length', 'aborted', 'new')),
    failure: opt(
      fc.record({ kind: fc.constantFrom('limit', 'scenario', 'tools', 'model', 'internal'), message: text }),
    ),
  }),
  piExit: opt(fc.record({ code: fc.constantFrom(0, 1, 137, null), oom: fc.boolean() })),
  promptAccepted: fc.boolean(),
  settled: fc.boolean(),
  damaged: fc.record({ torn: fc.nat(1) }),
  changesLost: opt(text),
  order: fc.shuffledSubarray(['failure', 'signal', 'limit', 'gateway'] as const),
}) as fc.Arbitrary<RunFacts>;

describe('for any facts', () => {
  it('completed needs the observed stop, the observed exit, and no stop of ours', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const { outcome, exitCode } = decideOutcome(facts);
        expect(exitCode === 0).toBe(outcome === 'completed');
        if (outcome !== 'completed') return;
        expect(facts.gateway.lastStopReason).toBe('stop');
        expect(facts.piExit?.code).toBe(0);
        expect(facts.changesLost).toBeUndefined();
        expect([facts.signal, facts.failure, facts.limit, facts.gateway.failure]).toEqual(Array(4).fill(undefined));
      }),
      { numRuns: 3_000 },
    );
  });

  it('nothing in the shape of the stream turns a failure into success or hides a stop', () => {
    fc.assert(
      fc.property(anyFacts, fc.boolean(), fc.boolean(), fc.nat(1), (facts, promptAccepted, settled, torn) => {
        const stopped = [facts.signal, facts.failure, facts.limit, facts.gateway.failure].some(
          (stop) => stop !== undefined,
        );
        const other = decideOutcome({ ...facts, promptAccepted, settled, damaged: { torn } });
        const { outcome } = decideOutcome(facts);
        if (stopped) expect(other.outcome).toBe(outcome);
        if (other.outcome === 'completed') expect(['completed', 'agent_failed']).toContain(outcome);
      }),
      { numRuns: 3_000 },
    );
  });

  it('a fault of ours that came first is never put on the agent', () => {
    fc.assert(
      fc.property(anyFacts, (facts) => {
        const failure = { code: 'wire' as const, message: 'x' };
        const memory = facts.piExit?.oom === true && facts.piExit.code !== 0;
        expect(decideOutcome({ ...facts, failure, order: ['failure'] })).toMatchObject(
          memory
            ? { outcome: 'limit_reached', exitCode: 4, limit: 'memory' }
            : { outcome: 'sandbox_failed', exitCode: 5 },
        );
      }),
    );
  });
});

/** Fields of the input type, by who vouches for them. A new field does not compile until somebody has decided. */
const vouchedFor: Record<keyof RunFacts, 'host' | 'shape of the stream'> = {
  signal: 'host',
  failure: 'host',
  limit: 'host',
  gateway: 'host',
  piExit: 'host',
  order: 'host',
  changesLost: 'host',
  promptAccepted: 'shape of the stream',
  settled: 'shape of the stream',
  damaged: 'shape of the stream',
};

it('takes nothing that pi said: no text, number or name from its events', () => {
  const shapes = Object.entries(vouchedFor)
    .filter(([, by]) => by === 'shape of the stream')
    .map(([name]) => name);
  for (const name of shapes) expect(['boolean', 'object']).toContain(typeof good[name as keyof RunFacts]);
  expect(Object.keys(good.damaged)).toEqual(['torn']);
});
