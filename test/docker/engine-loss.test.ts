import { execFileSync } from 'node:child_process';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { tempFolder } from '../support/cli.ts';
import { testEngine, testImage } from '../support/engine.ts';
import { engineProxy } from '../support/engine-proxy.ts';
import { allGone, eventually, processesOf } from '../support/host-processes.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { type Lab, lab } from '../support/lab.ts';
import { PrivateEngine } from '../support/private-engine.ts';

/** Longest time until a lost engine or container is noticed, milliseconds: the deadline of the wire, and room to act. */
const NOTICED_MS = 25_000;
/** Which of two sights of the same end comes first is chance. */
const ENDED_OUTSIDE = /sandbox failed: .*(the container ended|ended or removed from outside)/;
/** Time to copy an image from engine to engine, milliseconds. */
const COPY_MS = 180_000;
const SLEEPS = 'turns: [{ text: Looking., tools: [{ name: bash, arguments: { command: "sleep 1000" } }] }]';

let engine: Engine;

beforeAll(async () => {
  await imageReady();
  engine = await testEngine();
}, IMAGE_MS);

async function sleeping(home: Lab): Promise<string> {
  const container = await home.container();
  const sleeps = () => processesOf(container).some(({ command }) => command === 'sleep 1000');
  await eventually('the command runs', 10_000, sleeps);
  return container;
}

/** Exit 5 with a reason, and a transcript that has what was said before. */
async function expectFailed(home: Lab, cli: ReturnType<Lab['run']>, reason: RegExp): Promise<void> {
  const started = performance.now();
  const result = await cli.ended;
  expect(performance.now() - started).toBeLessThan(NOTICED_MS);
  expect(result.code, result.stderr).toBe(5);
  expect(result.stderr).toMatch(reason);
  expect(result.stderr).not.toMatch(/\n\s+at /);
  const records = home.records();
  expect(records).toContainEqual(expect.objectContaining({ type: 'gateway.response', text: 'Looking.' }));
  expect(records.at(-1)).toMatchObject({ type: 'outcome', outcome: 'sandbox_failed', exitCode: 5 });
}

describe('a container that somebody else touches', () => {
  it('killed: the run fails at once, says so, and leaves nothing', async () => {
    const home = lab();
    const cli = home.run(SLEEPS);
    const container = await sleeping(home);
    execFileSync('docker', ['kill', container], { stdio: 'ignore' });
    await expectFailed(home, cli, ENDED_OUTSIDE);
    expect(await home.containers(engine)).toEqual([]);
  });

  it('removed: likewise', async () => {
    const home = lab();
    const cli = home.run(SLEEPS);
    const container = await sleeping(home);
    execFileSync('docker', ['rm', '--force', container], { stdio: 'ignore' });
    await expectFailed(home, cli, ENDED_OUTSIDE);
    expect(await home.containers(engine)).toEqual([]);
  });

  it('frozen: the run fails when no sign of life came, and removes it although it stands still', async () => {
    const home = lab();
    const cli = home.run(SLEEPS);
    const container = await sleeping(home);
    execFileSync('docker', ['pause', container], { stdio: 'ignore' });
    await expectFailed(home, cli, /sandbox failed: .*no sign of life/);
    expect(processesOf(container)).toEqual([]);
    expect(await home.containers(engine)).toEqual([]);
  });
});

describe('an engine that goes away in the middle of a run', () => {
  it('ends the run within seconds when the connection breaks, and the container with it; the next command clears up', async () => {
    const proxy = await engineProxy(tempFolder());
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const home = lab({ DOCKER_HOST: proxy.host });
    const cli = home.run(SLEEPS);
    const container = await sleeping(home);
    proxy.cut();
    await allGone(container, 3_000);
    await expectFailed(home, cli, /sandbox failed: .*(wire|engine|bridge)/);
    expect(await home.containers(engine)).toMatchObject([{ id: container }]);
    proxy.mend();
    const ls = await home.cli(['ls', '--json']);
    expect(JSON.parse(ls.stdout)).toMatchObject({ state: 'sandbox_failed' });
    expect(await home.containers(engine)).toEqual([]);
  });
});

describe.skipIf(process.getuid?.() !== 0)('an engine whose daemon is killed in the middle of a run', () => {
  const own = new PrivateEngine();

  beforeAll(async () => {
    await own.start();
    await own.load(await testImage());
  }, COPY_MS);

  afterAll(() => own[Symbol.asyncDispose]());

  it('ends the run within seconds with a reason; nothing runs on, and when it is back the next command clears up', async () => {
    const home = lab({ DOCKER_HOST: own.host });
    const cli = home.run(SLEEPS);
    const container = await sleeping(home);
    await own.kill();
    await allGone(container, 15_000);
    await expectFailed(home, cli, /sandbox failed: /);
    const without = await home.cli(['ls']);
    expect(without.code, without.stderr).toBe(0);
    await own.start();
    const back = await own.connect();
    expect(await home.containers(back)).toMatchObject([{ id: container }]);
    expect((await home.cli(['ls'])).code).toBe(0);
    expect(await home.containers(back)).toEqual([]);
  });
});
