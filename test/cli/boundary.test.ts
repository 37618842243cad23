import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { BOUNDARY } from '../../src/cli/boundary.ts';
import { offline } from '../support/offline.ts';
import { COMPLETED, listedPlan, stamped, startedOn, writeRun } from '../support/runs.ts';

const RUN = '20261130T021610-3f9a2c';
const ROOT = path.join(import.meta.dirname, '../..');

test('the words name the boundary and all that is none', () => {
  expect(BOUNDARY).toMatch(
    /^The container is the boundary; .*policy.*guard.*questions.*changes.*only lower the odds\.$/,
  );
});

test.each(['README.md', 'docs/security.md'])(
  '%s says what is the boundary and what only lowers the odds (M16, M18)',
  (file) => {
    expect(readFileSync(path.join(ROOT, file), 'utf8').replaceAll(/\s+/g, ' ')).toContain(BOUNDARY);
  },
);

test.each([['show'], ['logs']])('%s says it of a run (M16, M18)', async (command) => {
  const { home, run } = offline();
  const records = [startedOn('/var/run/docker.sock'), { source: 'observed', type: 'outcome', ...COMPLETED }];
  const files = { 'plan.json': listedPlan('/r'), 'events.jsonl': stamped(RUN, records), 'outcome.json': COMPLETED };
  writeRun(home, RUN, files);
  const { code, stdout } = await run([command, RUN]);
  expect(code).toBe(0);
  expect(stdout).toContain(BOUNDARY);
});
