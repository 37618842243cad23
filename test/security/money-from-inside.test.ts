import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import type { SandboxRecord } from '../../src/protocol/record.ts';
import { runCli, tempFolder } from '../support/cli.ts';
import { type FakeUpstream, fakeUpstream, sse, type UpstreamAnswer } from '../support/fake-upstream.ts';
import { ANTHROPIC } from '../support/fake-upstream-styles.ts';
import { bash } from '../support/live-run.ts';
import { ofType } from '../support/pi-records.ts';

/** Claude Haiku 4.5, US dollars for a million tokens. */
const PRICE = { input: 1, output: 5 };
const INPUT = 100;
const BODY = JSON.stringify({
  model: ANTHROPIC.id,
  context: { messages: [{ role: 'user', content: 'more', timestamp: 1 }] },
});
/** As many times as the provider has answers. */
const ASK = `for n in $(seq 60); do curl -s -o /dev/null http://127.0.0.1:18080/messages -H 'Content-Type: application/json' -d '${BODY}'; done`;

/** Uses all output that it is granted, up to 5,000 tokens, and says so. */
function greedy(upstream: () => FakeUpstream, taken: number[]): UpstreamAnswer {
  return (res, req) => {
    const { max_tokens } = JSON.parse(upstream().requests.at(-1)!.body) as { max_tokens: number };
    const usage = { input_tokens: INPUT, output_tokens: Math.min(max_tokens, 5_000) };
    taken.push((usage.input_tokens * PRICE.input + usage.output_tokens * PRICE.output) / 1e6);
    const tools = taken.length === 1 ? [{ id: 'call_ask', ...bash(ASK) }] : [];
    const said = JSON.stringify(ANTHROPIC.say({ text: 'word', tools }));
    const records = JSON.parse(said, (key, value) => (key === 'usage' ? usage : value)) as ReturnType<
      typeof ANTHROPIC.say
    >;
    return sse(...records)(res, req);
  };
}

it('a command that calls the model on and on spends what the run has and no more, and the run ends by name (BR10)', async () => {
  const repo = path.join(tempFolder(), 'repo');
  mkdirSync(repo);
  writeFileSync(path.join(repo, 'README.md'), 'A project.\n');
  const taken: number[] = [];
  const upstream: FakeUpstream = await fakeUpstream(...Array.from({ length: 62 }, () => greedy(() => upstream, taken)));
  const args = [
    'run',
    repo,
    'probe',
    '--model',
    ANTHROPIC.spec,
    '--base-url',
    upstream.origin,
    '--json',
    '--max-usd',
    '0.5',
  ];
  const result = await runCli(args, { env: { ANTHROPIC_API_KEY: 'sk-test-of-the-gateway' } });
  await upstream[Symbol.asyncDispose]();
  const records = result.stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line) as SandboxRecord);
  const spent = taken.reduce((sum, usd) => sum + usd, 0);
  expect(taken.length).toBeGreaterThan(15);
  expect(spent).toBeLessThanOrEqual(0.5);
  expect(spent).toBeGreaterThan(0.45);
  expect(result.code).toBe(4);
  const outcome = ofType(records, 'outcome');
  expect(outcome).toMatchObject({ outcome: 'limit_reached', limit: 'gateway.costUsd' });
  expect(outcome?.['costUsd']).toBeLessThanOrEqual(0.5);
  expect(outcome?.['costUsd']).toBeGreaterThanOrEqual(spent - 1e-9);
});
