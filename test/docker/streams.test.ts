import { spawn } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { OPEN, scenario, tempFolder } from '../support/cli.ts';
import { testEngine } from '../support/engine.ts';
import { expectLinesKept } from '../support/fast-containers.ts';
import { eventually, processesOf } from '../support/host-processes.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { lab } from '../support/lab.ts';
import { withoutRules } from '../support/without-rules.ts';

const BIN = path.join(import.meta.dirname, '../../bin/pi-sandbox.mjs');
const bash = (...commands: string[]) =>
  commands.map((command) => `{ tools: [{ name: bash, arguments: { command: ${JSON.stringify(command)} } }] }`);
const turns = (...all: string[]) => `turns: [${all.join(', ')}]`;

let engine: Engine;

beforeAll(async () => {
  await imageReady();
  engine = await testEngine();
}, IMAGE_MS);

describe('streams at their ends', () => {
  it('the one line of a container that ends at once is never lost, nor its exit code: 40 times (D07)', async () => {
    await expectLinesKept(engine, 40);
  });

  it.each([1, 40])(
    'a reader that goes away after %i lines ends the run quietly, and the transcript so far is kept (D09)',
    async (lines) => {
      const home = lab();
      const model = scenario(turns(...bash('for i in $(seq 1000); do echo $i; sleep 0.02; done'), '{ text: done }'));
      const script = `"$0" "$@" | head -${lines}; echo "code \${PIPESTATUS[0]}"`;
      const args = ['-c', script, process.execPath, BIN, 'run', home.repo, '--model', model, '--json', 'do', 'it'];
      const child = spawn('bash', args, { env: { ...process.env, ...home.env }, stdio: ['ignore', 'pipe', 'pipe'] });
      const said = { stdout: '', stderr: '' };
      for (const name of ['stdout', 'stderr'] as const) {
        child[name].setEncoding('utf8').on('data', (text: string) => {
          said[name] += text;
        });
      }
      await new Promise((resolve) => child.once('close', resolve));
      const [first = '', ...rest] = said.stdout.trimEnd().split('\n');
      const code = rest.pop();
      expect(rest).toHaveLength(lines - 1);
      expect(JSON.parse(first)).toMatchObject({ seq: 1, type: 'run_started' });
      expect(code).toBe('code 143');
      expect(said.stderr).toBe('');
      expect(await home.containers(engine)).toEqual([]);
      expect(home.records().at(-1)).toMatchObject({ type: 'outcome', outcome: 'interrupted' });
      expect(home.records().length).toBeGreaterThanOrEqual(Math.min(lines, 5));
    },
  );

  it('an open and silent standard input holds nothing up when there is a prompt (D10)', async () => {
    const home = lab();
    const result = await home.run(turns('{ text: done }'), ['--json'], { input: OPEN }).ended;
    expect(result.code, result.stderr).toBe(0);
    expect(result.stdout).toContain('"type":"run_started"');
  });

  it('a prompt and context files of 200 KB arrive whole, and show in no process list or container (D15)', async () => {
    const home = lab();
    const mark = 'cQ7bZ-only-in-the-prompt';
    const prompt = path.join(tempFolder(), 'big.md');
    writeFileSync(prompt, `${mark}\n${'prompt '.repeat(30_000)}`);
    writeFileSync(path.join(home.repo, 'AGENTS.md'), `${mark}\n${'context '.repeat(25_000)}`);
    const model = scenario(`model: { contextWindow: 2000000 }\n${turns(...bash('sleep 1000'))}`);
    const cli = home.start(['run', home.repo, '--model', model, '--prompt-file', prompt]);
    const container = await home.container();
    const { value: seen } = await eventually('the command runs', 10_000, () => {
      const processes = processesOf(container);
      return processes.some(({ command }) => command === 'sleep 1000') && processes;
    });
    const environments = seen.map(({ pid }) => readFileSync(`/proc/${pid}/environ`, 'latin1'));
    const ours = readFileSync(`/proc/${cli.child.pid}/cmdline`, 'latin1');
    const inspected = JSON.stringify(await engine.inspect(container));
    expect([...seen.map(({ command }) => command), ...environments, ours, inspected].join('\n')).not.toContain(mark);
    const [request] = home.records().filter(({ type }) => type === 'gateway.request');
    expect(request?.['bytes']).toBeGreaterThan(200_000);
    cli.child.kill('SIGTERM');
    expect((await cli.ended).code).toBe(143);
  });
});

describe('processes and memory', () => {
  it('500 orphans leave no zombie, the init reaps, and the run still ends in less than 2 s (D75)', async () => {
    const home = lab();
    const orphans = `for i in $(seq 500); do sh -c 'sleep 0.01 &'; done; sleep 1000`;
    const cli = home.run(turns(...bash(orphans)));
    const container = await home.container();
    const { value: seen } = await eventually('the orphans are gone', 30_000, () => {
      const processes = processesOf(container);
      return (
        processes.some(({ command }) => command === 'sleep 1000') &&
        !processes.some(({ command }) => command === 'sleep 0.01') &&
        processes
      );
    });
    expect(seen.filter(({ state }) => state === 'Z')).toEqual([]);
    const state = await engine.state(container);
    expect(seen.find(({ pid }) => pid === state?.pid)?.command).toContain('tini');
    const asked = performance.now();
    cli.child.kill('SIGTERM');
    expect((await cli.ended).code).toBe(143);
    expect(performance.now() - asked).toBeLessThan(2_000);
  });

  it('a tool that eats all memory is killed alone: the model is told and the run goes on (D76)', async () => {
    const home = lab();
    const eater = `node -e 'const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))'; echo "code $?"`;
    const text = turns(...bash(eater), '{ expect: "code 137", text: done }');
    const result = await home.run(text, ['--memory', '512m']).ended;
    expect(result.code, result.stderr).toBe(0);
  });

  it('pi itself killed for memory is called that, with the option that raises it (D76)', async () => {
    const home = lab();
    // Whoever asks to be killed first is: the score of pi goes up, then something else fills the memory.
    const victim = `echo 1000 > /proc/$PPID/oom_score_adj; exec node --max-old-space-size=100 -e 'const a = []; for (;;) a.push(Buffer.alloc(1e7, 1))'`;
    const args = ['--memory', '512m', ...withoutRules(path.dirname(home.root))];
    const result = await home.run(turns(`{ text: Looking., ${bash(victim)[0]?.slice(2)}`), args).ended;
    expect(result.code, result.stderr).toBe(4);
    expect(result.stderr).toMatch(/limit reached \(memory\): .*ran out of memory.*--memory/);
    expect(home.records()).toContainEqual(expect.objectContaining({ type: 'gateway.response', text: 'Looking.' }));
    expect(home.records().at(-1)).toMatchObject({ outcome: 'limit_reached', limit: 'memory', exitCode: 4 });
    expect(await home.containers(engine)).toEqual([]);
  });
});

describe('runs side by side', () => {
  it('one in the folder of another, one of them stopped: the other goes on, each with its own transcript (D79)', async () => {
    const home = lab();
    const inner = path.join(home.repo, 'inner');
    mkdirSync(inner);
    writeFileSync(path.join(inner, 'inner.txt'), 'inner\n');
    const waiting = turns(...bash('until [ -e /tmp/go ]; do sleep 0.05; done'), '{ text: done }');
    const outer = home.run(waiting);
    await home.container();
    const [first = ''] = home.runs();
    const within = home.start([
      'run',
      inner,
      '--model',
      scenario(turns(...bash('ls /workspace; sleep 1000'))),
      'do',
      'it',
    ]);
    await eventually(
      'the second run is ready',
      30_000,
      () => home.runs().length === 2 && home.records().some(({ type }) => type === 'ready'),
    );
    const second = String(home.runs().find((run) => run !== first));
    expect((await home.cli(['stop', second])).code).toBe(0);
    expect((await within.ended).code).toBe(143);
    const [left] = await home.containers(engine);
    const slot = Number(left?.labels['pi-sandbox.slot']);
    expect(left?.labels['pi-sandbox.run']).toBe(first);
    const exec = await engine.createExec(left?.id ?? '', {
      user: `${10_002 + 2 * slot}:${10_002 + 2 * slot}`,
      workingDir: '/',
      env: [],
      cmd: ['/bin/touch', '/tmp/go'],
      stdin: false,
    });
    (await engine.startExec(exec, false)).resume();
    const result = await outer.ended;
    expect(result.code, result.stderr).toBe(0);
    for (const run of [first, second]) {
      expect(new Set(home.records(run).map((record) => record.run))).toEqual(new Set([run]));
    }
  });
});
