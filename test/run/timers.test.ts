import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest';
import { Stops } from '../../src/run/stops.ts';
import { RunTimers } from '../../src/run/timers.ts';

const LIMITS = { wallMs: 60_000, idleMs: 5_000 };
let stops: Stops;
let timers: RunTimers;

beforeEach(() => {
  vi.useFakeTimers();
  stops = new Stops();
  timers = new RunTimers(LIMITS, stops);
});
afterEach(() => {
  timers[Symbol.dispose]();
  vi.restoreAllMocks();
  vi.useRealTimers();
});
const limit = () => stops.facts.limit?.name;

describe('a run ends', () => {
  test('when nothing happens for the idle time, and not before', () => {
    vi.advanceTimersByTime(3_000);
    timers.touch();
    vi.advanceTimersByTime(4_000);
    expect(limit()).toBeUndefined();
    vi.advanceTimersByTime(2_000);
    expect(limit()).toBe('idleMs');
  });

  test('when its time is over, however busy it is', () => {
    for (let second = 0; second < 60; second++) {
      timers.touch();
      vi.advanceTimersByTime(1_000);
    }
    expect(limit()).toBe('wallMs');
  });
});

describe('it is no idleness', () => {
  test('when our own reader lets us wait (D06)', async () => {
    const reader = Promise.withResolvers<void>();
    const held = timers.holding(reader.promise);
    await vi.advanceTimersByTimeAsync(20_000);
    expect(limit()).toBeUndefined();
    reader.resolve();
    await held;
    await vi.advanceTimersByTimeAsync(6_000);
    expect(limit()).toBe('idleMs');
  });

  test('when this process stood still: a check that comes late says nothing about the run (D06)', () => {
    vi.advanceTimersByTime(1_000);
    // The clock goes on, timers do not: what a stopped process or a sleeping machine sees.
    const before = performance.now();
    vi.spyOn(performance, 'now').mockImplementation(() => before + 30_000);
    vi.advanceTimersByTime(1_000);
    expect(limit()).toBeUndefined();
  });
});
