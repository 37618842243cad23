import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { type LiveCli, OPEN, tempFolder } from '../support/cli.ts';
import { engineProxy } from '../support/engine-proxy.ts';
import { allGone, eventually, processesOf } from '../support/host-processes.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { type Lab, lab } from '../support/lab.ts';

/** What the policy asks about; the host can see whether it runs. */
const COMMAND = 'sleep 4321';
const TURNS = `turns: [{ tools: [{ name: bash, arguments: { command: "${COMMAND}" } }] }]`;
/** Longest time until a lost container is gone, milliseconds. */
const GONE_MS = 20_000;

beforeAll(imageReady, IMAGE_MS);

/** A run that stands at its question, which nobody has answered yet. */
async function atQuestion(home: Lab): Promise<{ cli: LiveCli; container: string }> {
  const policy = path.join(tempFolder(), 'asks.yaml');
  const rule = '{ id: asks, verdict: ask, reason: The test asks., programs: [sleep] }';
  writeFileSync(policy, `version: 1\ncommands: { rules: [${rule}] }\n`, { mode: 0o600 });
  const args = ['--policy', policy, '--json', '--ask', 'stdin'];
  const cli = home.run(TURNS, args, { input: OPEN });
  const container = await home.container();
  await home.record('gate.ask');
  return { cli, container };
}

const runs = (container: string): boolean => processesOf(container).some(({ command }) => command === COMMAND);

/** Nothing of the container is left, and in all that time the command was never there. */
async function goneWithout(container: string): Promise<void> {
  let seen = false;
  await eventually('the container is gone', GONE_MS, () => {
    seen ||= runs(container);
    return processesOf(container).length === 0;
  });
  expect(seen).toBe(false);
}

async function expectNothingAllowed(home: Lab, cli: LiveCli, code: number | null): Promise<void> {
  const ended = await cli.ended;
  expect(ended.code, ended.stderr).toBe(code);
  expect(home.records().filter(({ type, verdict }) => type === 'gate' && verdict !== 'deny')).toEqual([]);
}

describe('a call whose question is open when its way to the host is lost never runs (M10)', () => {
  test('answered, it runs (control)', async () => {
    const home = lab();
    const { cli, container } = await atQuestion(home);
    expect(runs(container)).toBe(false);
    cli.child.stdin?.write('{"v":1,"ask":1,"decision":"once"}\n');
    await eventually('the command runs', 10_000, () => runs(container));
    execFileSync('docker', ['kill', container], { stdio: 'ignore' });
    await allGone(container, GONE_MS);
    await cli.ended;
  });

  test('the wire breaks', async () => {
    const proxy = await engineProxy(tempFolder());
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const home = lab({ DOCKER_HOST: proxy.host });
    const { cli, container } = await atQuestion(home);
    proxy.cut();
    await goneWithout(container);
    // An answer that comes now is for nobody.
    cli.child.stdin?.write('{"v":1,"ask":1,"decision":"once"}\n');
    await expectNothingAllowed(home, cli, 5);
  });

  test('the controller is killed', async () => {
    const home = lab();
    const { cli, container } = await atQuestion(home);
    cli.child.kill('SIGKILL');
    await goneWithout(container);
    await expectNothingAllowed(home, cli, null);
  });
});
