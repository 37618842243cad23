import { beforeAll, expect, it } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { type CliOptions, tempFolder } from '../support/cli.ts';
import { testEngine } from '../support/engine.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { lab } from '../support/lab.ts';
import { withoutRules } from '../support/without-rules.ts';

let engine: Engine;

beforeAll(async () => {
  await imageReady();
  engine = await testEngine();
}, IMAGE_MS);

interface Way {
  readonly ends: string;
  readonly code: number;
  /** Absent when nothing was started, so that there is no record of it. */
  readonly outcome?: object;
  readonly turns: string;
  readonly args?: readonly string[];
  readonly options?: CliOptions;
  readonly signal?: NodeJS.Signals;
}

const DONE = '[{ text: done }]';
const bash = (command: string) =>
  `[{ tools: [{ name: bash, arguments: { command: ${JSON.stringify(command)} } }] }, { text: done }]`;

/** Every exit code of a run; 3 and 6 belong to reports and to apply. */
const WAYS: readonly Way[] = [
  { ends: 'the model is done', code: 0, outcome: { outcome: 'completed' }, turns: DONE },
  { ends: 'a tool failed and the model went on', code: 0, outcome: { outcome: 'completed' }, turns: bash('exit 3') },
  {
    ends: 'the provider refuses',
    code: 1,
    outcome: { outcome: 'agent_failed' },
    turns: '[{ error: { status: 400 } }]',
  },
  {
    ends: 'the script expected something else',
    code: 1,
    outcome: { outcome: 'agent_failed' },
    turns: '[{ tools: [{ name: ls, arguments: {} }] }, { text: b, expect: never }]',
  },
  {
    ends: 'pi is killed by a command',
    code: 1,
    outcome: { outcome: 'agent_failed' },
    turns: bash('kill -KILL $PPID'),
    args: withoutRules(tempFolder()),
  },
  { ends: 'the request is wrong', code: 2, turns: DONE, args: ['--profile', 'none'] },
  {
    ends: 'a limit of calls is reached',
    code: 4,
    outcome: { outcome: 'limit_reached', limit: 'gateway.requests' },
    turns: bash('true'),
    args: ['--max-turns', '1'],
  },
  {
    ends: 'a budget of money is used up',
    code: 4,
    outcome: { outcome: 'limit_reached', limit: 'gateway.costUsd', costUsd: 0.1215, requests: 1 },
    turns: `[{ tools: [{ name: bash, arguments: { command: "true" } }], usage: { input: 40000, output: 100 } }, { text: b }]
model: { cost: { input: 3, output: 15 } }`,
    args: ['--max-usd', '0.15'],
  },
  { ends: 'money is to be counted for a model without a price', code: 2, turns: DONE, args: ['--max-usd', '1'] },
  {
    ends: 'the time is over',
    code: 4,
    outcome: { outcome: 'limit_reached', limit: 'wallMs' },
    turns: bash('sleep 1000'),
    args: ['--timeout', '3s'],
  },
  { ends: 'there is no engine', code: 5, turns: DONE, options: { env: { DOCKER_HOST: 'unix:///nowhere' } } },
  { ends: 'Ctrl-C', code: 130, outcome: { outcome: 'interrupted' }, turns: bash('sleep 1000'), signal: 'SIGINT' },
  { ends: 'SIGTERM', code: 143, outcome: { outcome: 'interrupted' }, turns: bash('sleep 1000'), signal: 'SIGTERM' },
];

it.each(WAYS)('exit $code when $ends', async ({ code, outcome, turns, args, options, signal }) => {
  const home = lab();
  const cli = home.run(`turns: ${turns}`, args, options);
  if (signal !== undefined) {
    await home.record('gateway.response');
    cli.child.kill(signal);
  }
  const result = await cli.ended;
  expect(result.code, result.stderr).toBe(code);
  expect(await home.containers(engine)).toEqual([]);
  if (outcome === undefined) expect(home.runs()).toEqual([]);
  else expect(home.records().at(-1)).toMatchObject({ type: 'outcome', exitCode: code, ...outcome });
});
