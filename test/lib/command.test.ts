import { expect, test, vi } from 'vitest';
import { CommandError, feedCommand, runCommand, streamCommand } from '../../src/lib/command.ts';

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

async function* pieces(...texts: string[]): AsyncGenerator<Buffer, void> {
  for (const text of texts) yield Buffer.from(text);
}

test('input may be a stream, and what the stream throws ends the command', async () => {
  const echo = script('process.stdin.pipe(process.stdout)');
  const { stdout } = await runCommand(NODE, echo, { ...options, input: pieces('a', 'b') });
  expect(Buffer.from(stdout).toString()).toBe('ab');
  async function* broken(): AsyncGenerator<Buffer, void> {
    yield* pieces('a');
    throw new Error('the source broke');
  }
  await expect(runCommand(NODE, FOREVER, { ...options, input: broken() })).rejects.toThrow('the source broke');
});

test('a command that leaves before it has read its input is judged by how it left', async () => {
  async function* endless(): AsyncGenerator<Buffer, void> {
    for (;;) yield Buffer.alloc(1 << 16);
  }
  const ended = runCommand(NODE, script('process.exit(3)'), { ...options, input: endless() });
  await expect(ended).rejects.toMatchObject({ reason: 'exit', exitCode: 3 });
});

const streaming = { cwd: '/', env: {}, maxBytes: 1 << 20, quietMs: 15_000 };

async function collect(args: string[], more: object = {}): Promise<{ text: string; error: unknown }> {
  let text = '';
  try {
    for await (const chunk of streamCommand(NODE, args, { ...streaming, ...more })) text += chunk.toString();
    return { text, error: undefined };
  } catch (error) {
    return { text, error };
  }
}

test('streamed output is all there, and one byte too much is an error after it', async () => {
  const mebibyte = script('process.stdout.write("x".repeat(1 << 20))');
  expect(await collect(mebibyte)).toEqual({ text: 'x'.repeat(1 << 20), error: undefined });
  expect((await collect(mebibyte, { maxBytes: (1 << 20) - 1 })).error).toMatchObject({ reason: 'too-much-output' });
});

test.each<[string, string[], object]>([
  ['exit', script('process.stdout.write("partly"); process.exitCode = 3'), {}],
  ['timeout', FOREVER, { quietMs: 200 }],
  ['aborted', FOREVER, { signal: abort() }],
])('streamed output that ends by %s does not look whole', async (reason, args, more) => {
  const { text, error } = await collect(args, more);
  expect(error).toMatchObject({ name: 'CommandError', reason });
  if (reason === 'exit') expect(text).toBe('partly');
});

test('a slow reader holds a streamed command back and is not taken for a silent one', async () => {
  const endless = script(
    'const w = () => { while (process.stdout.write("x".repeat(65536))); process.stdout.once("drain", w); }; w()',
  );
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  try {
    const stream = streamCommand(NODE, endless, { ...streaming, maxBytes: 1 << 30 });
    await stream.next();
    vi.advanceTimersByTime(2 * streaming.quietMs);
    expect((await stream.next()).done).toBe(false);
    await stream.return();
  } finally {
    vi.useRealTimers();
  }
});

test('a program that is not there takes nothing of what it would be fed', async () => {
  let asked = false;
  async function* source(): AsyncGenerator<string, void> {
    asked = true;
    yield 'x';
  }
  expect(await feedCommand('/nonexistent/pager', [], { cwd: '/', env: {} }, source())).toBe(false);
  expect(asked).toBe(false);
});

test('a fed program may leave early, and what the source throws is not swallowed', async () => {
  let ended = false;
  async function* endless(): AsyncGenerator<string, void> {
    try {
      for (;;) yield 'x'.repeat(1 << 16);
    } finally {
      await new Promise(setImmediate);
      ended = true;
    }
  }
  expect(await feedCommand(NODE, script('process.exit(0)'), { cwd: '/', env: {} }, endless())).toBe(true);
  expect(ended).toBe(true);
  async function* broken(): AsyncGenerator<string, void> {
    yield 'x';
    throw new Error('the source broke');
  }
  const drain = script('process.stdin.resume()');
  await expect(feedCommand(NODE, drain, { cwd: '/', env: {} }, broken())).rejects.toThrow('the source broke');
});
