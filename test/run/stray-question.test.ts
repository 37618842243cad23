import { expect, test } from 'vitest';
import { callOnRecord } from '../../src/run/call-on-record.ts';
import { gateSummary } from '../../src/run/gate-summary.ts';
import { tempFolder } from '../support/cli.ts';
import { stamped, toolCall, writeRun } from '../support/runs.ts';

const RUN = '20261130T021610-3f9a2c';
const decision = (more: Readonly<Record<string, unknown>>) => ({
  ...{ source: 'observed', type: 'gate', call: 'a', tool: 'bash', rule: 'git-push', reason: 'r' },
  ...{ seen: 'observed', durationMs: 1, ...more },
});
const ASK = {
  ...{ source: 'observed', type: 'gate.ask', ask: 1, call: 'a', tool: 'bash', arguments: { command: 'git push' } },
  ...{ rule: 'git-push', reason: 'r', subject: 'git push', claimed: false, timeoutMs: 1000 },
};
const ALLOWED = decision({ verdict: 'allow', by: 'answer' });
const STRAY = decision({ verdict: 'deny', by: 'gateway', rule: 'gate.other-call', stray: true });

test.each([
  ['after the decision', [ASK, ALLOWED, STRAY]],
  ['while somebody is asked', [ASK, STRAY, ALLOWED]],
])('a question of a stranger about a call does not hide what became of it: %s', async (_when, records) => {
  const run = writeRun(tempFolder(), RUN, { 'events.jsonl': stamped(RUN, [...records, ...toolCall('a', 'done')]) });
  expect((await callOnRecord(run, 'a')).gate).toMatchObject({ verdict: 'allow', by: 'answer' });
  expect(await gateSummary(run, ['bash'])).toMatchObject({
    questions: [{ ask: 1, answer: 'allowed' }],
    stopped: [{ rule: 'gate.other-call', by: 'gateway', calls: 1 }],
  });
});
