import { setImmediate as turn } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { FlatMemory } from '../../src/cli/memory.ts';
import { MiB } from '../../src/lib/bytes.ts';

/** Whether what was handed on and dropped is gone after this many bytes. */
async function isClearedAfter(bytes: number): Promise<boolean> {
  const memory = new FlatMemory();
  const handedOn = new WeakRef(new Uint8Array(64 * 1024));
  await turn();
  memory.passed(bytes);
  await turn();
  return handedOn.deref() === undefined;
}

test('what only passed through is cleared after some megabytes, and not for each piece', async () => {
  expect(await isClearedAfter(64 * 1024)).toBe(false);
  expect(await isClearedAfter(8 * MiB)).toBe(true);
});
