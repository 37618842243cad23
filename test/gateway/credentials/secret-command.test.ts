import { readFileSync, realpathSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { SecretCommands } from '../../../src/gateway/credentials/secret-command.ts';
import { tempFolder } from '../../support/cli.ts';

function commands() {
  const cwd = realpathSync(tempFolder());
  const env = { PATH: process.env['PATH'] ?? '', MINE: 'mine' };
  const made = new SecretCommands(() => ({ cwd, env }));
  return { cwd, run: (command: string) => made.run(command) };
}

test('a command runs in its own folder with the given environment, and is asked once for calls at once', async () => {
  const { cwd, run } = commands();
  const command = 'echo x >> ran; echo "  $PWD $MINE"';
  expect(await Promise.all([run(command), run(command)])).toEqual([`${cwd} mine`, `${cwd} mine`]);
  expect(await run(command)).toBe(`${cwd} mine`);
  expect(readFileSync(path.join(cwd, 'ran'), 'utf8')).toBe('x\n');
});

test('after a failure it is asked again', async () => {
  const { run } = commands();
  const command = 'test -e there && echo key-1234 || { touch there; exit 3; }';
  await expect(run(command)).rejects.toThrow('its command left with exit code 3');
  expect(await run(command)).toBe('key-1234');
});

test.each([
  ['exit code', 'echo sk-secret; exit 7', 'its command left with exit code 7'],
  ['no output', 'echo sk-secret >&2', 'its command printed nothing'],
  ['several lines', 'echo sk-secret; echo more', 'its command printed more than one line'],
  ['too much', 'head -c 100000 /dev/zero | tr "\\0" s', 'its command printed more than 65536 bytes'],
  ['no such program', 'no-such-program sk-secret', 'its command left with exit code 127'],
])('%s is said in our words, without anything that was printed', async (_name, command, message) => {
  const failure = (await commands()
    .run(command)
    .catch((error: unknown) => error)) as Error;
  expect(failure.message).toBe(message);
});
