import path from 'node:path';
import { expect } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { type CliOptions, scenario } from './cli.ts';
import { filesBelow, type Lab } from './lab.ts';

export const AS_ROOT = process.getuid?.() === 0;
/** Root may do what it wants with files; without capabilities it is a user like any other. */
export const NO_POWERS = AS_ROOT ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'] : [];

export interface Bad {
  readonly name: string;
  readonly exit: number;
  /** What the one paragraph must say: what, to what, why, and what to do. */
  readonly says: readonly (string | RegExp)[];
  /** All arguments, or more options for a run that would work without them. */
  readonly args?: (home: Lab) => readonly string[];
  readonly more?: (home: Lab) => readonly string[];
  readonly options?: (home: Lab) => CliOptions;
}

export const model = () => scenario('turns: [{ text: done }]');
export const good = (home: Lab): string[] => ['run', home.repo, '--model', model()];
export const oneOption =
  (...more: string[]) =>
  (): string[] =>
    more;

/** The command ends with one paragraph, which is returned, and the right exit code, and leaves nothing behind. */
export async function expectRefused(
  engine: Engine,
  home: Lab,
  { args, more, options, says, exit }: Omit<Bad, 'name'>,
): Promise<string> {
  const all = args?.(home) ?? [...good(home), ...(more?.(home) ?? []), 'do', 'it'];
  const result = await home.cli(all, options?.(home));
  const paragraph = result.stderr.split('\n').filter((line) => line.startsWith('pi-sandbox: '));
  expect(paragraph, result.stderr).toHaveLength(1);
  expect(result.stderr.trimEnd().split('\n').at(-1), 'nothing follows the paragraph').toBe(paragraph[0]);
  for (const text of says) expect(paragraph[0]).toMatch(text instanceof RegExp ? text : literally(text));
  expect(result.stderr).not.toMatch(/\n\s+at |fault of pi-sandbox/);
  expect(result.stdout).toBe('');
  expect(result.code, result.stderr).toBe(exit);
  expect(await home.containers(engine)).toEqual([]);
  expect(filesBelow(path.join(home.root, 'runs'))).toEqual([]);
  return String(paragraph[0]);
}

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
}
