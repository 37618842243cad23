import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MiB } from '../../src/lib/bytes.ts';
import { git } from '../changes/support.ts';
import { type Tree, writeTree } from '../support/change-sets.ts';
import { tempFolder } from '../support/cli.ts';
import { MemoryWatch } from '../support/controller.ts';
import { RUN, ranOver } from './diff-support.ts';

const line = (at: number): string => `${String(at).padStart(9, '0')} some text that makes a line of it\n`;
const text = (from: number, lines: number): string =>
  Array.from({ length: lines }, (_, at) => line(from + at)).join('');

/** The patch of a run, through a file, and the most memory that the command took, bytes. */
async function written(cli: ReturnType<typeof ranOver>, form: '--patch' | '--json') {
  const file = path.join(cli.home, form);
  const live = cli.start(['diff', RUN, form], { via: ['sh', '-c', `exec "$@" > '${file}'`, 'sh'] });
  using memory = new MemoryWatch(live.child.pid ?? 0);
  expect((await live.ended).code).toBe(0);
  const bytes = readFileSync(file);
  const json = (): Buffer => Buffer.from((JSON.parse(bytes.toString()) as { patch: string }).patch, 'base64');
  return { patch: form === '--json' ? json() : bytes, peak: memory.first + memory.growth };
}

test('30 MB of changed text come out whole, with flat memory (D62)', async () => {
  const after = text(350_000, 350_000);
  const large = ranOver({ 'big.txt': text(0, 350_000) }, { 'big.txt': after });
  const small = await written(ranOver({ f: 'a' }, { f: 'b' }), '--patch');
  const raw = await written(large, '--patch');
  const json = await written(large, '--json');
  expect(raw.patch.length).toBeGreaterThan(30e6);
  expect(json.patch.equals(raw.patch)).toBe(true);
  for (const { peak } of [raw, json]) expect(peak - small.peak).toBeLessThan(110 * MiB);
  const root = writeTree(tempFolder(), { 'big.txt': text(0, 350_000) });
  git(root, ['apply', '-'], { input: raw.patch });
  expect(readFileSync(path.join(root, 'big.txt'), 'utf8') === after).toBe(true);
});

test('a long file hides no other, a long line not its own end, and what is left out is said', async () => {
  const { diff } = ranOver(
    {},
    { 'a-long.txt': text(0, 5_000), 'b.txt': `start${' '.repeat(10_000)}evil\n`, 'c.txt': 'the end\n' },
  );
  const { stdout } = await diff();
  expect(stdout).toContain('… 4001 more lines of this file are not shown; --patch has them\n');
  expect(stdout).toMatch(/\+start *… \(a line of 9\.8 KiB\)/);
  expect(stdout).toContain('+the end\n');
  expect(stdout.length).toBeLessThan(100_000);
});

test('very many files end at a limit that is named, and no class of risk hides another', async () => {
  const names = Array.from({ length: 60 }, (_, at) => `f${String(at).padStart(2, '0')}`);
  const tree: Tree = Object.fromEntries(names.map((name) => [name, text(0, 900)]));
  const risks = Object.fromEntries(names.map((name) => [name, [{ class: 'binary' as const, what: 'not text' }]]));
  const hook = { class: 'hooks' as const, what: 'runs on commit' };
  const { diff } = ranOver({}, { ...tree, zz: 'x\n' }, { risks: { ...risks, zz: [hook] } });
  const { stdout } = await diff();
  const shown = stdout.split('\n');
  expect(shown.slice(2, 5)).toEqual(['Needs your eye:', '  zz  hooks: runs on commit', '  f00  binary: not text']);
  expect(shown).toContain('  and 40 more of class binary');
  expect(stdout).toMatch(/… 38 more changed files are not shown\. .*--stat.*--patch.*name paths/);
  expect(shown.length).toBeLessThan(21_000);
});
