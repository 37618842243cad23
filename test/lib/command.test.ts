import { expect, test } from 'vitest';
import { CommandError, runCommand } from '../../src/lib/command.ts';

const NODE = process.execPath;
const options = { cwd: '/', env: {}, maxBytes: 1 << 20, timeoutMs: 15_000 };
const script = (text: string) => ['-e', text];

test('output comes back as bytes, input goes in as bytes', async () => {
  const input = Buffer.from([0, 0xff, 0x0a, 0x80]);
  const { stdout, stderr } = await runCommand(NODE, script('process.stdin.pipe(process.stdout); console.error("e")'), {
    ...options,
    input,
  });
  expect(Buffer.from(stdout)).toEqual(input);
  expect(Buffer.from(stderr).toString()).toBe('e\n');
});

test('nothing of our environment reaches the command, and arguments meet no shell', async () => {
  const show =
    'console.log(JSON.stringify([Object.keys(process.env).filter((k) => k !== "__CF_USER_TEXT_ENCODING"), process.argv.slice(1)]))';
  const { stdout } = await runCommand(NODE, [...script(show), '$(id)', '; ls', '*'], { ...options, env: { ONE: '1' } });
  expect(JSON.parse(Buffer.from(stdout).toString())).toEqual([['ONE'], ['$(id)', '; ls', '*']]);
});

const FOREVER = script('setInterval(() => {}, 1000)');
const abort = (): AbortSignal => AbortSignal.timeout(100);

test.each<[string, string, string[], object]>([
  ['exit', NODE, script('console.error("broken"); process.exit(3)'), {}],
  ['not-found', '/nonexistent/program', [], {}],
  ['failed', '/', [], {}],
  ['timeout', NODE, FOREVER, { timeoutMs: 200 }],
  ['too-much-output', NODE, script('for (;;) process.stdout.write("x".repeat(4096))'), { maxBytes: 10_000 }],
  ['signal', NODE, script('process.kill(process.pid, "SIGTERM"); setInterval(() => {}, 1000)'), {}],
  ['aborted', NODE, FOREVER, { signal: abort() }],
])('a failure by %s says so and names the program', async (reason, file, args, more) => {
  const error = await runCommand(file, args, { ...options, ...more }).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(CommandError);
  expect(error).toMatchObject({ reason, message: expect.stringMatching(`^${file} `) });
  if (reason === 'exit')
    expect(error).toMatchObject({ exitCode: 3, stderr: 'broken', message: `${NODE} left with 3: broken` });
});
