import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, expect, test } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { LABEL } from '../../src/protocol/labels.ts';
import type { RunEntry } from '../../src/protocol/run-entry.ts';
import { runCli, scenario, startCli, tempFolder } from '../support/cli.ts';
import { testEngine } from '../support/engine.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';

const RUNS = 10;
const TEN_RUNS_MS = 300_000;
/** Each run waits for a sign that never comes, so that all of them go on at the same time. */
const WAIT = `
turns:
  - tools:
      - { name: bash, arguments: { command: "echo here; sleep 600" } }
  - text: never said
`;

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
  await imageReady();
}, IMAGE_MS);

test(
  'ten runs at once on one repository have ten user ids, sockets and records; stopping one disturbs no other (D79)',
  async () => {
    const home = tempFolder();
    const repo = path.join(home, 'repo');
    mkdirSync(repo);
    writeFileSync(path.join(repo, 'README.md'), 'hello\n');
    const options = { env: { XDG_STATE_HOME: home }, cwd: repo, timeoutMs: TEN_RUNS_MS };
    const cli = (...args: string[]) => runCli(args, options);
    const list = async () =>
      (await cli('ls', '--json')).stdout
        .trimEnd()
        .split('\n')
        .map((line) => JSON.parse(line) as RunEntry);
    const model = scenario(WAIT);

    const live = Array.from({ length: RUNS }, () => startCli(['run', repo, 'wait', '--model', model], options));
    await Promise.all(live.map((one) => one.until('[1] bash')));
    const runs = await list();
    expect(runs.map(({ state }) => state)).toEqual(Array(RUNS).fill('running'));
    const containers = (await engine.list({ [LABEL.run]: true })).filter(({ labels }) =>
      runs.some(({ run }) => run === labels[LABEL.run]),
    );
    expect(new Set(containers.map(({ labels }) => labels[LABEL.slot])).size).toBe(RUNS);

    const [first, ...others] = runs.map(({ run }) => run);
    expect((await cli('stop', first!)).code).toBe(0);
    const after = await list();
    expect(after.find(({ run }) => run === first)?.state).toBe('interrupted');
    expect(after.filter(({ state }) => state === 'running')).toHaveLength(RUNS - 1);

    const stopped = await Promise.all(others.map((run) => cli('stop', run)));
    expect(stopped.map(({ code }) => code)).toEqual(Array(RUNS - 1).fill(0));
    expect((await Promise.all(live.map((one) => one.ended))).map(({ code }) => code)).toEqual(Array(RUNS).fill(143));
    for (const { run } of runs) expect(await engine.list({ [LABEL.run]: run })).toEqual([]);
    expect((await list()).map(({ state }) => state)).toEqual(Array(RUNS).fill('interrupted'));
  },
  TEN_RUNS_MS,
);
