import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FlatMemory } from '../../src/cli/memory.ts';
import { KiB, MiB } from '../../src/lib/bytes.ts';

const PIECE = 64 * KiB;

/** Most bytes that buffers held while pieces of this size were made and dropped, 64 MiB in all. */
async function peakOf(onPassed: (bytes: number) => void): Promise<number> {
  const before = process.memoryUsage().arrayBuffers;
  let peak = 0;
  for (let done = 0; done < 64 * MiB; done += PIECE) {
    const piece = Buffer.allocUnsafeSlow(PIECE);
    onPassed(piece.length);
    if (done % MiB === 0) await turn();
    peak = Math.max(peak, process.memoryUsage().arrayBuffers - before);
  }
  return peak;
}

test('what only passed through is cleared after some megabytes', async () => {
  const memory = new FlatMemory();
  // The control: left alone, more comes together.
  expect(await peakOf(() => {})).toBeGreaterThan(24 * MiB);
  expect(await peakOf((bytes) => memory.passed(bytes))).toBeLessThan(16 * MiB);
});
