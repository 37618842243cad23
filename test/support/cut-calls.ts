import fs from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';

/** Calls of the system that change something. */
const CHANGING = [
  'openSync', 'writeSync', 'renameSync', 'linkSync', 'unlinkSync', 'symlinkSync', 'mkdirSync', 'rmdirSync', 'rmSync',
  'fchmodSync', 'chmodSync', 'fchownSync', 'lchownSync',
] as const; // biome-ignore format: a list

export class Killed extends Error {
  override readonly name = 'Killed';
}

/**
 * Lets so many changing calls of the system through and fails every one after them, as if the process had been killed.
 * Returns how many were made or tried.
 */
export async function killedAfter(calls: number, work: () => Promise<unknown>): Promise<number> {
  const real = new Map(CHANGING.map((name) => [name, fs[name]] as const));
  let made = 0;
  for (const [name, call] of real) {
    (fs as unknown as Record<string, unknown>)[name] = (...args: unknown[]) => {
      const reads =
        name === 'openSync' && (args[1] === 'r' || (typeof args[1] === 'number' && (args[1] & 0o103) === 0));
      if (!reads && made++ >= calls) throw new Killed();
      return (call as (...all: unknown[]) => unknown)(...args);
    };
  }
  syncBuiltinESMExports();
  try {
    await work().catch(() => {});
  } finally {
    Object.assign(fs, Object.fromEntries(real));
    syncBuiltinESMExports();
  }
  return made;
}
