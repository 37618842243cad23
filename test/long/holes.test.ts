import { expect, test } from 'vitest';
import { MiB } from '../../src/lib/bytes.ts';
import { testEngine } from '../support/engine.ts';
import { bash, Session } from '../support/session.ts';

const session = new Session(400_000);

test('a file with holes makes the change set partial, and the exit code stays that of the run (EX6, D62)', {
  timeout: 500_000,
}, async () => {
  const root = session.repository('holes', { 'a.txt': 'one\n' });
  const cli = async (...args: readonly string[]) => {
    const { code, stdout, stderr } = await session.cli(args, { cwd: root });
    return { code, stdout: stdout.toString(), stderr: stderr.toString() };
  };
  // More than fits into memory, so that the workspace is on a disk and the file may be that large.
  const disk = String(Math.ceil((await testEngine()).facts.memory / 2) + MiB);
  const model = session.script([bash('truncate -s 3G holes && echo x >> a.txt'), { text: 'done' }]);
  const { code, stderr } = await cli('run', '--model', model, '--disk', disk, 'go');
  expect(code, stderr).toBe(0);
  expect(stderr).toMatch(/^partial: .*larger than/m);
  expect(stderr).toMatch(/^1 entry was refused: holes /m);
  expect(await cli('diff', 'last', '--patch')).toMatchObject({ code: 5, stdout: '' });
  expect(await cli('apply', 'last')).toMatchObject({ code: 6, stderr: expect.stringContaining('partial') });
  expect(await cli('apply', 'last', 'a.txt')).toMatchObject({ code: 0, stdout: 'a.txt\n' });
});
