import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { tempFolder } from '../support/cli.ts';
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

test.each([['--help'], ['-h'], ['help'], ['logs', '--help'], ['help', 'image', 'build'], ['image', 'help', 'build']])(
  '%s %s %s is asked for, so it is no error',
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
  { args: ['shwo'], says: ["Unknown command 'shwo'", 'Did you mean show?'] },
  { args: ['ls', '--jsn'], says: ["Unknown option '--jsn'", 'Did you mean --json?'] },
  { args: ['run', '--modle', 'x'], says: ["Unknown option '--modle'", 'Did you mean --model?'] },
  { args: ['image', 'biuld'], says: ['Unknown command \'biuld\' for "pi-sandbox image"', 'Did you mean build?'] },
  { args: ['stop'], says: ["Missing required argument 'run'"] },
  { args: ['output', 'last'], says: ["Missing required argument 'call'"] },
  { args: ['ls', 'extra'], says: ['Too many arguments', 'pi-sandbox ls --help'] },
  { args: ['help', 'nope'], says: ["Unknown command 'nope'", 'pi-sandbox --help'] },
  { args: ['help', 'shwo'], says: ["Unknown command 'shwo'", 'Did you mean show?'] },
  { args: ['help', 'image', 'biuld'], says: ["Unknown command 'biuld'", 'pi-sandbox image --help'] },
  { args: ['run', '--model'], says: ["Option '--model <id>' argument missing"] },
  { args: ['prune', '--older-than', 'ages'], says: ['--older-than ages'] },
  { args: ['run', 'hi'], says: ['No model is named', '--model'] },
])('$args is refused with exit code 2 and a way out', async ({ args, says }) => {
  const ended = await offline().run(args, { env: { PI_SANDBOX_MODEL: undefined } });
  expect(ended).toMatchObject({ code: 2, stdout: '' });
  for (const text of says) expect(ended.stderr).toContain(text);
  expect(ended.stderr).toMatch(/^pi-sandbox: .*\n$/);
  expect(ended.stderr).not.toMatch(/[.?]\./);
});

test.each(['show', 'logs', 'output', 'stop', 'rm'])('the help of %s says what may stand for a run', async (command) => {
  const { stdout } = await offline().run([command, '--help']);
  expect(stdout.replaceAll(/\s+/g, ' ')).toContain(
    'id, unique prefix of one, or "last": the newest of this repository when inside one, else of all',
  );
});

test('a current folder that was removed is said, and is no fault of ours', async () => {
  const gone = tempFolder();
  const ended = await offline().run(['diff', 'last'], {
    cwd: gone,
    via: ['sh', '-c', `rmdir ${gone}; exec "$@"`, 'sh'],
  });
  expect(ended.code).toBe(2);
  expect(ended.stderr).toBe(
    'pi-sandbox: The current folder does not exist any more. Change to another one and try again.\n',
  );
});
