import { existsSync } from 'node:fs';
import { expect, test } from 'vitest';
import { strictParse } from '../../src/lib/strict-parse.ts';
import { RunPlan } from '../../src/protocol/plan.ts';
import { Session } from '../support/session.ts';

const session = new Session();
const repo = session.repository('repo', { 'README.md': 'hello\n' });

test('a dry run prints the plan that a run would follow, whole, and starts nothing', async () => {
  const model = session.script([{ text: 'never' }]);
  const { code, stdout } = await session.cli([
    'run',
    repo,
    'go',
    '--model',
    model,
    '--dry-run',
    '--bash-timeout',
    '90s',
  ]);
  expect(code).toBe(0);
  const plan: unknown = JSON.parse(stdout.toString());
  const parsed = strictParse(RunPlan, plan);
  if (!parsed.ok) throw new Error(JSON.stringify(parsed.problems));
  expect(parsed.value).toMatchObject({
    profile: 'edit',
    workspace: { mode: 'copy', root: repo, files: 1 },
    limits: { bashTimeoutSeconds: 90 },
  });
  expect(existsSync(session.runs)).toBe(false);
});
