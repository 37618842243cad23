import { expect, onTestFinished, test } from 'vitest';
import { BIN, tempFolder } from '../support/cli.ts';
import { NO_ENGINE } from '../support/offline.ts';
import { type OnTerminal, onTerminal } from '../support/pty.ts';
import { COMPLETED, listedPlan, writeRun } from '../support/runs.ts';

const CTRL_C = '\u0003';
const CTRL_D = '\u0004';

function atTerminal(args: readonly string[], home = tempFolder()): OnTerminal {
  const started = onTerminal([process.execPath, BIN, ...args], {
    ...process.env,
    NO_COLOR: '1',
    XDG_STATE_HOME: home,
    DOCKER_HOST: NO_ENGINE,
  });
  onTestFinished(() => started.kill());
  return started;
}

test.each([
  { key: CTRL_C, code: 130, says: 'Interrupted' },
  { key: CTRL_D, code: 2, says: 'There is no prompt' },
  { key: '\r', code: 2, says: 'There is no prompt' },
])('$key in place of a prompt ends with $code and says why on a line of its own', async ({ key, code, says }) => {
  const tty = atTerminal(['run', '--model', 'scripted:s.yaml']);
  await tty.until(/What should the agent do\?/);
  tty.type(key);
  expect(await tty.ended).toBe(code);
  expect(tty.shown).toMatch(new RegExp(`\\npi-sandbox: ${says}`));
});

test('Ctrl-C in place of a yes removes nothing and ends with 130', async () => {
  const home = tempFolder();
  writeRun(home, '20200101T000000-aaaaaa', { 'plan.json': listedPlan('/r'), 'outcome.json': COMPLETED });
  const tty = atTerminal(['prune'], home);
  await tty.until(/Remove 1 item/);
  tty.type(CTRL_C);
  expect(await tty.ended).toBe(130);
  const after = atTerminal(['ls'], home);
  expect(await after.ended).toBe(0);
  expect(after.shown).toContain('20200101T000000-aaaaaa');
});
