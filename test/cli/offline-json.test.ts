import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { offline } from '../support/offline.ts';
import { COMPLETED, listedPlan, stamped, startedOn, toolCall, writeRun } from '../support/runs.ts';

const RUN = '20261130T021610-3f9a2c';
const HOSTILE = 'a\u001b[2J\u007f\u009b31m\u2028\u202etxt\u200b\u{e0041}';
const HARMFUL = /[^\P{Cc}\n]|[\p{Cf}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}]/u;
const CLI = path.join(import.meta.dirname, '../../src/cli');

/** Makes arguments into text for the screen, which makes them harmless. */
const FOR_THE_SCREEN = ['explain-lines.ts', 'render-arguments.ts', 'gate/call-rows.ts'];

test.each([['logs', RUN], ['ls'], ['show', RUN]])(
  '%s --json holds hostile text without a raw control or format character',
  async (...args) => {
    const cli = offline();
    const outcome = { ...COMPLETED, reason: HOSTILE };
    const end = { source: 'observed', type: 'outcome', ...outcome };
    writeRun(cli.home, RUN, {
      'plan.json': listedPlan(`/${HOSTILE}`),
      'events.jsonl': stamped(RUN, [startedOn('/var/run/docker.sock'), ...toolCall('call_1', HOSTILE), end]),
      'outcome.json': outcome,
    });
    const { code, stdout } = await cli.run([...args, '--json']);
    expect(code).toBe(0);
    expect(stdout).not.toMatch(HARMFUL);
    const texts: string[] = [];
    const collect = (_key: string, found: unknown): unknown => {
      if (typeof found === 'string') texts.push(found);
      return found;
    };
    const values = args[0] === 'show' ? [stdout] : stdout.trimEnd().split('\n');
    for (const value of values) JSON.parse(value, collect);
    expect(texts.join('\n')).toContain(HOSTILE);
  },
);

test('all JSON of the command line is written by safeJson', () => {
  const sources = readdirSync(CLI, { recursive: true, encoding: 'utf8' }).filter((name) => name.endsWith('.ts'));
  const raw = sources.filter((name) => readFileSync(path.join(CLI, name), 'utf8').includes('JSON.stringify'));
  expect(raw).toEqual(FOR_THE_SCREEN);
  const safe = sources.filter((name) => readFileSync(path.join(CLI, name), 'utf8').includes('safeJson('));
  expect(safe).toEqual(['print.ts']);
});
