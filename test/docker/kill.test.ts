import { cpSync, existsSync, readdirSync, readFileSync, statSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { DEAD_MAN_MS, expectNothingRunsOn, killGroup } from '../support/aftermath.ts';
import { scenario, startCli, tempFolder } from '../support/cli.ts';
import { testEngine } from '../support/engine.ts';
import { engineProxy } from '../support/engine-proxy.ts';
import { fakeUpstream } from '../support/fake-upstream.ts';
import { ANTHROPIC } from '../support/fake-upstream-styles.ts';
import { allGone, eventually, processesOf } from '../support/host-processes.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { fillRepo, type Lab, lab } from '../support/lab.ts';

const ROOT = path.join(import.meta.dirname, '../..');
const group = { group: true } as const;
/** One turn that is never waited for. */
const QUIET = 'turns: [{ text: done }]';

let engine: Engine;

beforeAll(async () => {
  await imageReady();
  engine = await testEngine();
}, IMAGE_MS);

async function proxied() {
  const proxy = await engineProxy(tempFolder());
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy;
}

describe('SIGKILL of the controller and its whole process group leaves nothing running', () => {
  it('before the container is created', async () => {
    const proxy = await proxied();
    const home = lab({ DOCKER_HOST: proxy.host });
    const held = proxy.hold(/^POST \S+\/containers\/create/);
    const cli = home.run(QUIET, [], group);
    await held;
    await killGroup(cli);
    expect(await home.containers(engine)).toEqual([]);
    await expectNothingRunsOn(home, engine);
  });

  it('between create and start: the container that never ran is removed by the next command', async () => {
    const proxy = await proxied();
    const home = lab({ DOCKER_HOST: proxy.host });
    const held = proxy.hold(/^POST \S+\/containers\/[0-9a-f]+\/start/);
    const cli = home.run(QUIET, [], group);
    await held;
    await killGroup(cli);
    expect(await home.containers(engine)).toMatchObject([{ state: 'created' }]);
    await expectNothingRunsOn(home, engine);
  });

  it('at the moment of the start, when the engine goes on alone', async () => {
    const proxy = await proxied();
    const home = lab({ DOCKER_HOST: proxy.host });
    const held = proxy.hold(/^POST \S+\/containers\/[0-9a-f]+\/start/);
    const cli = home.run(QUIET, [], group);
    const { release } = await held;
    release();
    await killGroup(cli);
    await expectNothingRunsOn(home, engine);
  });

  it('while a large repository is copied in (D73)', async () => {
    const home = lab();
    fillRepo(home.repo, 6_000, 20_000);
    const cli = home.run(QUIET, ['--json'], group);
    await cli.until('"type":"posture"');
    const [container] = await home.containers(engine);
    await eventually('the archive is being unpacked', 10_000, () =>
      processesOf(container?.id ?? '').some(({ command }) => command.includes('tar')),
    );
    await killGroup(cli);
    expect(cli.stdout).not.toContain('"type":"imported"');
    await expectNothingRunsOn(home, engine);
  });

  it('while the model is in the middle of a line (D73)', async () => {
    const home = lab();
    const cli = home.run(`turns: [{ text: "${'word '.repeat(400)}", tokensPerSecond: 40 }]`, ['--json'], group);
    await cli.until('"message_update"');
    await killGroup(cli);
    await expectNothingRunsOn(home, engine);
  });

  it('while a command runs that ignores polite signals and has left its session', async () => {
    const home = lab();
    const command = `trap '' TERM HUP INT; setsid -f sh -c 'trap "" TERM HUP INT; sleep 1001'; yes & sleep 1002`;
    const cli = home.run(
      `turns: [{ tools: [{ name: bash, arguments: { command: ${JSON.stringify(command)} } }] }]`,
      [],
      group,
    );
    const container = await home.container();
    for (const name of ['sleep 1001', 'sleep 1002', 'yes']) {
      await eventually(`${name} runs`, 10_000, () =>
        processesOf(container).some((process) => process.command === name),
      );
    }
    await killGroup(cli);
    await expectNothingRunsOn(home, engine);
  });

  it('while a slow provider is waited for, which hears nothing more of us', async () => {
    const upstream = await fakeUpstream();
    onTestFinished(() => upstream[Symbol.asyncDispose]());
    const asked = Promise.withResolvers<void>();
    const gone = Promise.withResolvers<void>();
    upstream.answers.push((res) => {
      res.on('close', gone.resolve);
      asked.resolve();
      return new Promise(() => {});
    });
    const home = lab({ [ANTHROPIC.keyName]: 'sk-ant-test-not-a-key' });
    const args = [
      'run',
      home.repo,
      '--model',
      ANTHROPIC.spec,
      '--base-url',
      upstream.origin + ANTHROPIC.base,
      'do',
      'it',
    ];
    const cli = startCli(args, { ...group, env: home.env });
    await asked.promise;
    await killGroup(cli);
    await gone.promise;
    await expectNothingRunsOn(home, engine);
    expect(upstream.requests).toHaveLength(1);
  });

  it('while the changes are taken out: what came so far is no change set, and is removed (D73)', async () => {
    const home = lab();
    const write = 'head -c 200000000 /dev/urandom > big';
    const script = `turns: [{ tools: [{ name: bash, arguments: { command: "${write}" } }] }, { text: done }]`;
    const cli = home.run(script, ['--json'], group);
    await cli.until('"type":"posture"');
    const [container] = await home.containers(engine);
    const [run] = home.runs();
    const spool = path.join(home.root, 'runs', run ?? 'none', 'changes', 'spool');
    await eventually('a large file is on its way out', 30_000, () => existsSync(spool) && statSync(spool).size > 0);
    expect(processesOf(container?.id ?? '').some(({ command }) => command.includes('/bin/tar -c'))).toBe(true);
    await killGroup(cli);
    await expectNothingRunsOn(home, engine);
    expect(existsSync(path.dirname(spool))).toBe(false);
    const diff = await home.cli(['diff', run ?? '']);
    expect(diff).toMatchObject({
      code: 5,
      stderr: expect.stringContaining('could not be taken out. The controller ended before'),
    });
  });

  it('while an image is built: the builder stops, and the next command removes the build context', async () => {
    const proxy = await proxied();
    const home = lab();
    const args = ['run', home.repo, '--model', scenario(QUIET), 'do', 'it'];
    const env = { ...home.env, DOCKER_HOST: proxy.host };
    const cli = startCli(args, { ...group, env, bin: productThatMustBuild(), timeoutMs: 100_000 });
    const [, builder = ''] = await Promise.race([
      proxy.answered(/Running in ([0-9a-f]{12})/),
      cli.ended.then(({ stderr }) => Promise.reject(new Error(`ended without a build: ${stderr}`))),
    ]);
    const { Id: id } = ((await engine.inspect(builder)) ?? {}) as { Id?: string };
    expect(contexts(home)).toHaveLength(1);
    await killGroup(cli);
    if (id !== undefined) await allGone(id, DEAD_MAN_MS);
    const given = async () => id === undefined || (await engine.inspect(id)) === undefined;
    await eventually('the engine has removed its builder container', 15_000, given);
    expect((await home.cli(['ls'])).code).toBe(0);
    expect(contexts(home)).toEqual([]);
    expect(home.runs()).toEqual([]);
  });
});

/** Staged build contexts, and the sockets that answer for them. */
function contexts({ root }: Lab): string[] {
  return readdirSync(root).filter((name) => /^image-[0-9a-f]+$/.test(name));
}

/** Bin of a copy of the product with a guest side of its own, so that the engine has no image for it. */
function productThatMustBuild(): string {
  const folder = tempFolder('pp-');
  for (const name of ['bin', 'dist', 'images', 'schemas', 'Dockerfile.pi', 'package.json']) {
    cpSync(path.join(ROOT, name), path.join(folder, name), {
      recursive: true,
      filter: (file) => !file.endsWith('node_modules'),
    });
  }
  symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'));
  const guest = path.join(folder, 'dist/images/guest/bridge.mjs');
  writeFileSync(guest, `${readFileSync(guest, 'utf8')}\n// ${folder}\n`);
  return path.join(folder, 'bin/pi-sandbox.mjs');
}
