import { chmodSync, existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import type { Tree } from '../support/change-sets.ts';
import { BIN } from '../support/cli.ts';
import { NO_ENGINE } from '../support/offline.ts';
import { onTerminal } from '../support/pty.ts';
import { RUN, ranOver } from './diff-support.ts';

const EVIL: Tree = { 'a.txt': 'evil \u001b[2J\u202e\n' };

function onScreen(home: string, args: readonly string[], env: Readonly<Record<string, string>> = {}) {
  const { PATH } = process.env;
  return onTerminal([process.execPath, BIN, 'diff', RUN, ...args], {
    PATH,
    HOME: home,
    XDG_STATE_HOME: home,
    DOCKER_HOST: NO_ENGINE,
    ...env,
  });
}

test('a terminal gets colours, a pager that the user chose, and nothing that it would obey', async () => {
  const { home } = ranOver({}, EVIL);
  const [pager, kept] = [path.join(home, 'pager'), path.join(home, 'paged')];
  writeFileSync(pager, `#!/bin/sh\necho "paged with $1"\nexec tee ${kept}\n`);
  chmodSync(pager, 0o755);
  const screen = onScreen(home, [], { PAGER: `${pager}  -x` });
  expect(await screen.ended).toBe(0);
  expect(screen.shown).toContain('paged with -x');
  const text = readFileSync(kept, 'utf8');
  expect(text).toContain('\u001b[32m+evil ␛[2J<U+202E>\u001b[0m\n');
  expect(text.replaceAll(/\u001b\[\d+m/g, '')).not.toMatch(/[^\P{Cc}\n]|\p{Cf}/u);
});

test('without colours, or a pager that starts, the text comes as it is', async () => {
  const { home } = ranOver({}, EVIL);
  for (const env of [{ PAGER: '/nonexistent/pager' }, { PAGER: '' }, { PAGER: 'cat' }, { TERM: 'dumb' }]) {
    const screen = onScreen(home, [], { NO_COLOR: '1', ...env });
    expect(await screen.ended).toBe(0);
    expect(screen.shown).toContain('+evil ␛[2J<U+202E>\r\n');
    expect(screen.shown).not.toContain('\u001b');
  }
});

test('elsewhere than on a terminal there is no pager and no colour, whatever is set', async () => {
  const { home, run } = ranOver({}, EVIL);
  const [pager, marker] = [path.join(home, 'pager'), path.join(home, 'MARKER')];
  writeFileSync(pager, `#!/bin/sh\n: > ${marker}\nexec cat\n`);
  chmodSync(pager, 0o755);
  const wishes = { PAGER: pager, GIT_PAGER: pager, FORCE_COLOR: '1', CLICOLOR_FORCE: '1', TERM: 'xterm-256color' };
  for (const form of [[], ['--stat'], ['--json'], ['--patch']]) {
    const { code, stdout, stderr } = await run(['diff', RUN, ...form], { env: { ...wishes, NO_COLOR: undefined } });
    expect(code).toBe(0);
    expect(stderr).not.toContain('\u001b');
    // Bytes for git are what they are.
    if (form[0] !== '--patch') expect(stdout).not.toContain('\u001b');
    else expect(stdout).not.toContain('\u001b[32m');
    expect(existsSync(marker), form.join()).toBe(false);
  }
  const screen = onScreen(home, [], wishes);
  expect(await screen.ended).toBe(0);
  expect(existsSync(marker), 'control: on a terminal it is started').toBe(true);
  expect(screen.shown, 'control: and has colours').toContain('\u001b[32m');
});

test('Ctrl-C at a pager is the pager’s, and one that is left early is no failure', async () => {
  const many = Object.fromEntries(Array.from({ length: 20 }, (_, at) => [`f${at}`, 'x\n'.repeat(900)]));
  const { home } = ranOver({}, { ...many, last: 'the last line\n' });
  const pager = path.join(home, 'pager');
  // Takes a little, lets git get under way, waits for the person, then takes the rest.
  const script = "trap '' INT\nhead -c 10\nsleep 1\necho ready\nread word </dev/tty\ncat\n";
  writeFileSync(pager, `#!/bin/sh\n${script}`);
  chmodSync(pager, 0o755);
  const screen = onScreen(home, [], { PAGER: pager });
  await screen.until(/ready/);
  screen.type('\u0003');
  await screen.until(/\^C/);
  screen.type('on\n');
  expect(await screen.ended).toBe(0);
  expect(screen.shown).toContain('the last line');
  expect(await onScreen(home, [], { PAGER: 'head -c 10' }).ended).toBe(0);
});

test('--patch to a terminal shows control characters and says so', async () => {
  const { home } = ranOver({}, EVIL);
  const screen = onScreen(home, ['--patch'], { PAGER: '/nonexistent/pager' });
  expect(await screen.ended).toBe(0);
  expect(screen.shown).toContain('+evil ␛[2J<U+202E>\r\n');
  expect(screen.shown).toContain('redirect it for the bytes');
});

test('git’s pager settings are for git’s words alone (GT3)', async () => {
  const { home } = ranOver({}, EVIL);
  const [script, marker] = [path.join(home, 'evil'), path.join(home, 'MARKER')];
  writeFileSync(script, `#!/bin/sh\n: > ${marker}\nexec cat\n`);
  chmodSync(script, 0o755);
  writeFileSync(path.join(home, '.gitconfig'), `[core]\n\tpager = ${script}\n`);
  for (const env of [{ HOME: home }, { HOME: home, GIT_PAGER: script }]) {
    for (const form of [[], ['--stat'], ['--patch']]) {
      expect(await onScreen(home, form, { PAGER: 'cat', ...env }).ended).toBe(0);
      expect(existsSync(marker)).toBe(false);
    }
    const control = onTerminal(['git', 'config', '--list'], { PATH: process.env['PATH'], ...env });
    await control.ended;
    expect(existsSync(marker), 'positive control').toBe(true);
    rmSync(marker);
  }
});
