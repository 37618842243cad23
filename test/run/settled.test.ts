import { describe, expect, test } from 'vitest';
import { StateKeeper } from '../../src/gateway/gateway-state.ts';
import type { NewRecord } from '../../src/protocol/record.ts';
import { SettledCheck } from '../../src/run/settled.ts';

const usage = { input: 1, output: 1, cacheRead: 0, cacheWrite: 0, costUsd: 0 };
const of = (type: string): NewRecord => ({ source: 'observed', type });

/** A check beside a gateway that opens, answers and refuses calls. */
function beside() {
  const keeper = new StateKeeper();
  let aborted = false;
  const check = new SettledCheck(
    () => keeper.current,
    () => aborted,
  );
  return {
    may: () => check.mayBeSettled(),
    opens: () => keeper.opened(0),
    answers: (stopReason: string) => {
      keeper.closed({ stopReason, text: '', usage });
      check.take(of('gateway.response'));
    },
    refuses: (type: 'gateway.refused' | 'gateway.limit') => {
      keeper.refused();
      check.take(of(type));
    },
    records: (type: string) => check.take(of(type)),
    abort: () => {
      aborted = true;
    },
  };
}

describe('pi may say that it is done', () => {
  test('when it never asked the model: it failed before, or gave up', () => {
    expect(beside().may()).toBe(true);
  });

  test.each(['stop', 'length', 'error', 'aborted'])('after an answer that ended with %s', (stopReason) => {
    const gateway = beside();
    gateway.opens();
    gateway.answers(stopReason);
    expect(gateway.may()).toBe(true);
  });

  test.each(['gateway.refused', 'gateway.limit'] as const)(
    'when it has tool results to send and got a %s for them',
    (type) => {
      const gateway = beside();
      gateway.opens();
      gateway.answers('toolUse');
      gateway.refuses(type);
      expect(gateway.may()).toBe(true);
    },
  );

  test('whenever we told it to stop', () => {
    const gateway = beside();
    gateway.opens();
    gateway.abort();
    expect(gateway.may()).toBe(true);
  });
});

describe('somebody else said it in its name', () => {
  test('while an answer is on its way', () => {
    const gateway = beside();
    gateway.opens();
    expect(gateway.may()).toBe(false);
  });

  test('while one of two answers is on its way, however the other ended', () => {
    const gateway = beside();
    gateway.opens();
    gateway.opens();
    gateway.answers('stop');
    expect(gateway.may()).toBe(false);
    gateway.answers('stop');
    expect(gateway.may()).toBe(true);
  });

  test('after an answer that asked for tools, whose results are still to come', () => {
    const gateway = beside();
    gateway.opens();
    gateway.answers('toolUse');
    for (const type of ['gateway.request', 'pi', 'notice']) gateway.records(type);
    expect(gateway.may()).toBe(false);
  });

  test('after a refusal from before the last answer', () => {
    const gateway = beside();
    gateway.refuses('gateway.refused');
    gateway.opens();
    gateway.answers('toolUse');
    expect(gateway.may()).toBe(false);
  });
});
