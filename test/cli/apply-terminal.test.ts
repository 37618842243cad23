import { expect, test } from 'vitest';
import { BIN } from '../support/cli.ts';
import { NO_ENGINE } from '../support/offline.ts';
import { onTerminal } from '../support/pty.ts';
import { RUN, runWithChanges } from '../support/run-with-changes.ts';

const RISKS = {
  '.envrc': [{ class: 'shell-start-up' as const, what: 'runs in a shell' }],
  'x.yml': [{ class: 'ci' as const, what: 'runs on push' }],
};

function atTerminal() {
  const made = runWithChanges({ a: '1' }, { a: '2', '.envrc': 'x', 'x.yml': 'y' }, { risks: RISKS });
  const env = { ...process.env, XDG_STATE_HOME: made.home, DOCKER_HOST: NO_ENGINE };
  return { ...made, on: onTerminal([process.execPath, BIN, 'apply', RUN], env) };
}

test('on a terminal apply asks class by class and shows what it asks about (D61)', async () => {
  const { on, tree } = atTerminal();
  await on.until(/x\.yml: ci: runs on push[\s\S]*Apply it\? \[y\/N\] /);
  expect(on.shown).not.toContain('.envrc');
  on.type('y\n');
  await on.until(/\.envrc: shell-start-up: runs in a shell[\s\S]*Apply it\? \[y\/N\] /);
  on.type('y\n');
  expect(await on.ended).toBe(0);
  expect(Object.keys(tree())).toEqual(['.envrc', 'a', 'x.yml']);
});

test('anything but yes writes nothing at all (D61)', async () => {
  const { on, tree } = atTerminal();
  const before = tree();
  await on.until(/Apply it\? \[y\/N\] /);
  on.type('y\n');
  await on.until(/runs in a shell[\s\S]*Apply it\? \[y\/N\] /);
  on.type('\n');
  expect(await on.ended).toBe(6);
  expect(on.shown).toContain('--allow-risk shell-start-up');
  expect(tree()).toEqual(before);
});

test('Ctrl-C at the question writes nothing', async () => {
  const { on, tree } = atTerminal();
  const before = tree();
  await on.until(/Apply it\? \[y\/N\] /);
  on.type('\u0003');
  expect(await on.ended).toBe(130);
  expect(tree()).toEqual(before);
});
