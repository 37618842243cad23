import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { offline } from '../support/offline.ts';

const version = (
  JSON.parse(readFileSync(path.join(import.meta.dirname, '../../package.json'), 'utf8')) as { version: string }
).version;

test('without a command the help is shown and the exit code is 2', async () => {
  const ended = await offline().run([]);
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  for (const command of ['run', 'ls', 'show', 'logs', 'output', 'stop', 'rm', 'prune', 'doctor', 'image']) {
    expect(ended.stderr).toMatch(new RegExp(`^ {2}${command} `, 'm'));
  }
});

test.each([['--help'], ['-h'], ['help'], ['logs', '--help']])(
  '%s %s is asked for, so it is no error',
  async (...args) => {
    const ended = await offline().run(args);
    expect(ended).toMatchObject({ code: 0, stderr: '' });
    expect(ended.stdout).toContain('Usage: pi-sandbox');
  },
);

test('--version is the version of the package', async () => {
  expect(await offline().run(['--version'])).toMatchObject({ code: 0, stdout: `${version}\n`, stderr: '' });
});

test.each([
  { args: ['shwo'], says: ["unknown command 'shwo'", 'Did you mean show?'] },
  { args: ['ls', '--jsn'], says: ["unknown option '--jsn'", 'Did you mean --json?'] },
  { args: ['run', '--modle', 'x'], says: ["unknown option '--modle'", 'Did you mean --model?'] },
  { args: ['image', 'biuld'], says: ["unknown command 'biuld'", 'Did you mean build?'] },
  { args: ['stop'], says: ["missing required argument 'run'"] },
  { args: ['output', 'last'], says: ["missing required argument 'call'"] },
  { args: ['ls', 'extra'], says: ['too many arguments'] },
  { args: ['prune', '--older-than', 'ages'], says: ['--older-than ages'] },
  { args: ['run', 'hi'], says: ['No model is named', '--model'] },
])('$args is refused with exit code 2 and a way out', async ({ args, says }) => {
  const ended = await offline().run(args, { env: { PI_SANDBOX_MODEL: undefined } });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  for (const text of says) expect(ended.stderr).toContain(text);
  expect(ended.stderr).toMatch(/^pi-sandbox: /);
});
