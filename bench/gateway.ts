/**
 * From asking the model to its first word: through bridge, wire and gateway, by a client in the container of a run, against pi-ai
 * called directly on the host, side by side. The provider is a loopback server that answers at once.
 *
 *   npm run bench -- gateway [--runs N] [--calls N]
 */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { streamSimple } from '@earendil-works/pi-ai/api/anthropic-messages';
import { anthropicProvider } from '@earendil-works/pi-ai/providers/anthropic';
import { GATEWAY_PORT } from '../src/protocol/wire.ts';
import { sseText } from '../test/support/fake-upstream.ts';
import { ANTHROPIC, type Said } from '../test/support/fake-upstream-styles.ts';
import { gateRun } from '../test/support/gate-run.ts';
import { textOf } from '../test/support/pi-records.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '10' }, calls: { type: 'string', default: '50' } },
});
const runs = Number(values.runs);
const calls = Number(values.calls);
/** Calls that are not counted: connections are made and code is compiled in them. */
const WARM_UP = 10;
type Context = Parameters<typeof streamSimple>[1];

/** Between two calls of one client, milliseconds. */
const PACE_MS = 500;
/** Most that may be added, milliseconds. */
const BARS = { p50: 10, p99: 40 };
const CALL = 'call_bench';
const QUESTION = 'one word, please';

/** Asks the gateway again and again, and prints how long the first word took each time. */
const CLIENT = `
import http from 'node:http';
const body = JSON.stringify({
  model: '${ANTHROPIC.id}',
  context: { messages: [{ role: 'user', content: '${QUESTION}', timestamp: 1 }] },
});
const once = () => new Promise((resolve, reject) => {
  const from = performance.now();
  const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) };
  const request = http.request({ port: ${GATEWAY_PORT}, host: '127.0.0.1', path: '/messages', method: 'POST', headers, agent: false }, (answer) => {
    let first;
    answer.on('data', (piece) => {
      if (first === undefined && piece.includes('text_delta')) first = performance.now() - from;
    });
    answer.on('end', () => (first === undefined ? reject(new Error('no word, status ' + answer.statusCode)) : resolve(first)));
  });
  request.on('error', reject);
  request.end(body);
});
const times = [];
for (let call = 0; call < ${calls + WARM_UP}; call++) {
  times.push(await once());
  await new Promise((resolve) => setTimeout(resolve, ${PACE_MS}));
}
console.log(JSON.stringify(times));
`;

process.env[ANTHROPIC.keyName] = 'key-of-the-bench-0123456789';
const work = mkdtempSync(path.join(tmpdir(), 'pi-sandbox-bench-'));
try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const pairs = await Promise.all(Array.from({ length: runs }, (_, run) => oneRun(path.join(work, String(run)))));
  const through = pairs.flatMap((pair) => pair.through);
  const direct = pairs.flatMap((pair) => pair.direct);
  const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors`;
  console.log(`first word of ${through.length} calls, ${runs} runs at once, milliseconds (${load})\n`);
  console.log('                       p50     p99');
  for (const [name, times] of Object.entries({ direct, through })) {
    console.log(`${name.padEnd(18)}${figure(at(times, 0.5))}${figure(at(times, 0.99))}`);
  }
  const added = { p50: at(through, 0.5) - at(direct, 0.5), p99: at(through, 0.99) - at(direct, 0.99) };
  console.log(`${'added'.padEnd(18)}${figure(added.p50)}${figure(added.p99)}`);
  const held = added.p50 <= BARS.p50 && added.p99 <= BARS.p99;
  console.log(`\nbar: at most ${BARS.p50} and ${BARS.p99} ms added: ${held ? 'held' : 'MISSED'}`);
  if (!held) process.exitCode = 1;
}

/** A run whose one command is the client, and the same calls from here while it works. */
async function oneRun(folder: string): Promise<{ through: number[]; direct: number[] }> {
  const repo = path.join(folder, 'repo');
  mkdirSync(repo, { recursive: true });
  writeFileSync(path.join(repo, 'client.mjs'), CLIENT);
  let begun = (): void => undefined;
  const atWork = new Promise<void>((resolve) => {
    begun = resolve;
  });
  const upstream = await provider(begun);
  const baseUrl = `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
  try {
    const direct = atWork.then(() => directTimes(baseUrl));
    const run = await gateRun({
      ...{ repo, state: folder, turns: [] },
      request: { model: ANTHROPIC.spec, baseUrl, maxTurns: 2 * (calls + WARM_UP) },
    });
    if (run.outcome.outcome !== 'completed') throw new Error(run.outcome.reason);
    const through = JSON.parse(textOf(run.records, CALL)) as number[];
    return { through: through.slice(WARM_UP), direct: (await direct).slice(WARM_UP) };
  } finally {
    upstream.close();
  }
}

/** Tells pi to start the client, whom it answers with one word. */
async function provider(onWork: () => void): Promise<Server> {
  const tools = [{ id: CALL, name: 'bash', arguments: { command: 'node client.mjs' } }];
  const server = createServer(async (req, res) => {
    let body = '';
    for await (const piece of req) body += piece;
    if (body.includes(QUESTION)) answer(res, { text: 'word' });
    else if (body.includes(CALL)) answer(res, { text: 'done' });
    else {
      answer(res, { tools });
      onWork();
    }
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return server;
}

function answer(res: ServerResponse, said: Said): void {
  res.writeHead(200, { 'content-type': 'text/event-stream' });
  res.end(ANTHROPIC.say(said).map(sseText).join(''));
}

async function directTimes(baseUrl: string): Promise<number[]> {
  const known = anthropicProvider()
    .getModels()
    .find(({ id }) => id === ANTHROPIC.id);
  if (known === undefined) throw new Error(`pi-ai does not know ${ANTHROPIC.id}`);
  const model = { ...known, baseUrl } as Parameters<typeof streamSimple>[0];
  const times: number[] = [];
  for (let call = 0; call < calls + WARM_UP; call++) {
    const from = performance.now();
    const context = { messages: [{ role: 'user', content: QUESTION, timestamp: 1 }] } as unknown as Context;
    let first: number | undefined;
    for await (const event of streamSimple(model, context, { apiKey: 'key' })) {
      if (event.type === 'text_delta') first ??= performance.now() - from;
    }
    if (first === undefined) throw new Error('pi-ai had no word');
    times.push(first);
    await delay(PACE_MS);
  }
  return times;
}

function at(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function figure(ms: number): string {
  return ms.toFixed(2).padStart(8);
}
