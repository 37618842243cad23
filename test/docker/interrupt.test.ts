import { existsSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { type CliResult, tempFolder } from '../support/cli.ts';
import { testEngine } from '../support/engine.ts';
import { engineProxy } from '../support/engine-proxy.ts';
import { allGone, eventually, processesOf } from '../support/host-processes.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { type Lab, lab } from '../support/lab.ts';
import { terminal } from '../support/terminal.ts';
import { withoutRules } from '../support/without-rules.ts';

/** Time after which an aborted command and its children are gone, milliseconds. */
const SECONDS = 5_000;

let engine: Engine;

beforeAll(async () => {
  await imageReady();
  engine = await testEngine();
}, IMAGE_MS);

const bash = (command: string, more = '') =>
  `turns: [{ tools: [{ name: bash, arguments: { command: ${JSON.stringify(command)} } }] }${more}]`;
/** Runs for ever; what comes after the sleep must never happen. */
const LATE = bash('sleep 1000; touch /workspace/late');

async function running(home: Lab, command: string): Promise<string> {
  const container = await home.container();
  await eventually(`${command} runs`, 10_000, () => processesOf(container).some((seen) => seen.command === command));
  return container;
}

async function expectEnd(home: Lab, result: CliResult, outcome: object): Promise<void> {
  const records = home.records();
  expect(records.at(-1)).toMatchObject({ type: 'outcome', ...outcome });
  expect(records.at(-2)).toMatchObject({ type: 'removed', complete: true });
  expect(result.code, result.stderr).toBe(records.at(-1)?.['exitCode']);
  expect(await home.containers(engine)).toEqual([]);
}

describe('an interrupted run', () => {
  it('ends the command inside on one Ctrl-C, keeps the whole transcript and leaves with 130 (D74, M20)', async () => {
    const home = lab();
    const cli = home.run(LATE);
    const container = await running(home, 'sleep 1000');
    const pressed = performance.now();
    cli.child.kill('SIGINT');
    await eventually('the command has ended', SECONDS, () =>
      processesOf(container).every(({ command }) => command !== 'sleep 1000'),
    );
    const result = await cli.ended;
    expect(performance.now() - pressed).toBeLessThan(2 * SECONDS);
    await expectEnd(home, result, { outcome: 'interrupted', exitCode: 130 });
    const events = home.records().flatMap(({ event }) => (event === undefined ? [] : [event as { type: string }]));
    expect(events.map(({ type }) => type)).toContain('tool_execution_end');
    expect(events.map(({ type }) => type)).toContain('agent_settled');
    expect(result.stderr).not.toMatch(/\n\s+at /);
  });

  it('ends at once on a second Ctrl-C, also when pi does not listen', async () => {
    const home = lab();
    const cli = home.run(bash('kill -STOP $PPID; sleep 1000'), withoutRules(tempFolder()));
    const container = await running(home, 'sleep 1000');
    await eventually('pi stands still', SECONDS, () => processesOf(container).some(({ state }) => state === 'T'));
    const pressed = performance.now();
    cli.child.kill('SIGINT');
    // Two signals at the same moment are one.
    await cli.until('Ctrl-C once more ends the run');
    cli.child.kill('SIGINT');
    await allGone(container, SECONDS);
    const result = await cli.ended;
    expect(performance.now() - pressed).toBeLessThan(SECONDS);
    await expectEnd(home, result, { outcome: 'interrupted', exitCode: 130 });
  });

  it('needs only one Ctrl-C when pi was stopped by a command: patience ends', async () => {
    const home = lab();
    const cli = home.run(bash('kill -STOP $PPID; sleep 1000'), withoutRules(tempFolder()));
    const container = await running(home, 'sleep 1000');
    cli.child.kill('SIGINT');
    await allGone(container, 15_000);
    await expectEnd(home, await cli.ended, { outcome: 'interrupted', exitCode: 130 });
  });

  it('ends in order on SIGTERM with 143, children that trap it and left their session included', async () => {
    const home = lab();
    const cli = home.run(bash(`setsid -f sh -c 'trap "" TERM HUP INT; sleep 1003; touch late'; sleep 1000`));
    await running(home, 'sleep 1000');
    const container = await running(home, 'sleep 1003');
    cli.child.kill('SIGTERM');
    await allGone(container, SECONDS);
    await expectEnd(home, await cli.ended, { outcome: 'interrupted', exitCode: 143 });
  });

  it('ends when the terminal goes away', async () => {
    const home = lab();
    const cli = home.run(LATE);
    const container = await running(home, 'sleep 1000');
    cli.child.kill('SIGHUP');
    await allGone(container, SECONDS);
    await expectEnd(home, await cli.ended, { outcome: 'interrupted', exitCode: 143 });
  });

  it('is ended by the stop command, which returns when nothing is left', async () => {
    const home = lab();
    const cli = home.run(LATE);
    const container = await running(home, 'sleep 1000');
    const stop = await home.cli(['stop', String(home.runs()[0])]);
    expect(stop.code, stop.stderr).toBe(0);
    expect(processesOf(container)).toEqual([]);
    expect(await home.containers(engine)).toEqual([]);
    await expectEnd(home, await cli.ended, { outcome: 'interrupted', exitCode: 143 });
    expect(await home.cli(['stop', String(home.runs()[0])])).toMatchObject({ code: 0 });
  });

  it('reaches its wall time whatever the command does, and says which limit that was', async () => {
    const home = lab();
    const cli = home.run(bash(`kill -STOP $PPID; trap '' TERM; sleep 1000`), [
      '--timeout',
      '4s',
      ...withoutRules(tempFolder()),
    ]);
    const container = await running(home, 'sleep 1000');
    const result = await cli.ended;
    await allGone(container, SECONDS);
    await expectEnd(home, result, { outcome: 'limit_reached', limit: 'wallMs', exitCode: 4 });
    expect(result.stderr).toContain('--timeout');
  });

  it('reaches its idle time when nothing happens, and not while something does', async () => {
    const home = lab();
    const steps = `for i in 1 2 3 4 5 6; do echo $i; sleep 0.7; done; sleep 1000`;
    const cli = home.run(bash(steps), ['--idle-timeout', '3s']);
    const container = await running(home, 'sleep 1000');
    await allGone(container, 10_000);
    await expectEnd(home, await cli.ended, { outcome: 'limit_reached', limit: 'idleMs', exitCode: 4 });
  });

  it.each([
    ['SIGINT', 130],
    ['SIGTERM', 143],
  ] as const)(
    'ends quietly on %s with %i before anything was started, even when the engine hangs',
    async (signal, code) => {
      const proxy = await engineProxy(tempFolder());
      onTestFinished(() => proxy[Symbol.asyncDispose]());
      const home = lab({ DOCKER_HOST: proxy.host });
      const held = proxy.hold(/^GET \/version/);
      const cli = home.run(LATE);
      await held;
      cli.child.kill(signal);
      const result = await cli.ended;
      expect(result.code).toBe(code);
      expect(result.stderr).toMatch(/^pi-sandbox: Interrupted before anything was started\.$/m);
      expect(result.stderr).not.toMatch(/fault|\n\s+at /);
      expect(home.runs()).toEqual([]);
    },
  );
});

describe('at a terminal', () => {
  it('Ctrl-C ends the turn and asks, an answer goes on, two more end the run, and the terminal is as before (M20)', async () => {
    const home = lab();
    const go = `, { text: "Something else then.", tools: [{ name: bash, arguments: { command: "sleep 1004" } }] }`;
    const tty = terminal(home, bash('sleep 1000; touch /workspace/late', go));
    const container = await running(home, 'sleep 1000');
    tty.type('\u0003');
    await tty.until(/What should it do instead/);
    expect(processesOf(container).map(({ command }) => command)).not.toContain('sleep 1000');
    tty.type('do something else\r');
    await tty.until(/Something else then/);
    await running(home, 'sleep 1004');
    tty.type('\u0003');
    await tty.until(/What should it do instead[\s\S]*What should it do instead/);
    tty.type('\u0003');
    const { code, before, after } = await tty.ended;
    expect(code).toBe(130);
    expect(after).toBe(before);
    expect(processesOf(container)).toEqual([]);
    expect(home.records().at(-1)).toMatchObject({ type: 'outcome', outcome: 'interrupted', exitCode: 130 });
    expect(existsSync(path.join(home.repo, 'late'))).toBe(false);
  });
});
