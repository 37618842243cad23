/**
 * From process start to the first model request, and until everything is removed: `pi-sandbox run` against the plain
 * `docker run` recipe (bridge network, writable bind mount, no hardening), interleaved in one run on one image.
 *
 *   npm run bench -- start [--runs N]
 */
import { execFileSync, spawn } from 'node:child_process';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { parseArgs } from 'node:util';
import { guestFingerprint, productVersion } from '../src/container/image/fingerprint.ts';
import { imageTag } from '../src/container/image/names.ts';
import { GUEST } from '../src/protocol/guest.ts';

const root = path.join(import.meta.dirname, '..');
const { values } = parseArgs({ options: { runs: { type: 'string', default: '7' } } });
const runs = Number(values.runs);
const RUN_MS = 60_000;

interface Times {
  /** Milliseconds from process start to the first model request. */
  readonly first: number;
  /** Milliseconds from process start to the end of the process, the container being gone. */
  readonly gone: number;
}

const work = mkdtempSync(path.join(tmpdir(), 'pi-sandbox-bench-'));
try {
  await main();
} finally {
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const repo = path.join(work, 'repo');
  mkdirSync(repo);
  writeFileSync(path.join(repo, 'README.md'), '# bench\n');
  writeFileSync(path.join(work, 'scenario.yaml'), 'turns:\n  - text: Done.\n');
  const tag = imageTag(await productVersion(root), await guestFingerprint(root));
  const variants = { 'pi-sandbox': () => sandbox(repo), plain: () => plain(tag, repo) };
  const results: Record<string, Times[]> = { plain: [], 'pi-sandbox': [] };
  // One of each is not counted: it fills the page cache.
  for (let run = 0; run <= runs; run++) {
    for (const [name, measure] of Object.entries(variants)) {
      const times = await measure();
      if (run > 0) results[name]!.push(times);
    }
  }
  const base = results.plain!;
  console.log(`medians of ${runs} interleaved runs, milliseconds from process start\n`);
  console.log('variant       first request   x plain   removed   x plain');
  for (const [name, times] of Object.entries(results)) {
    const [first, gone] = [median(times, 'first'), median(times, 'gone')];
    const ratio = (value: number, of: keyof Times): string => (value / median(base, of)).toFixed(2).padStart(9);
    console.log(
      `${name.padEnd(12)}${String(first).padStart(15)}${ratio(first, 'first')}${String(gone).padStart(10)}${ratio(gone, 'gone')}`,
    );
  }
  if (median(results['pi-sandbox']!, 'first') > median(base, 'first')) {
    console.log('\nslower than the plain recipe: the bar of 1.0x is missed');
    process.exitCode = 1;
  }
}

/** What people do by hand: the repository mounted writable, the network open, nothing locked down. */
async function plain(image: string, repo: string): Promise<Times> {
  const { server, asked } = await fakeModel();
  const { port } = server.address() as AddressInfo;
  const agent = path.join(work, 'agent');
  mkdirSync(agent, { recursive: true });
  const model = {
    id: 'bench',
    name: 'bench',
    reasoning: false,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 8192,
  };
  const provider = {
    name: 'host',
    baseUrl: `http://${bridgeAddress()}:${port}`,
    apiKey: 'placeholder',
    api: 'pi-messages',
    models: [model],
  };
  writeFileSync(path.join(agent, 'models.json'), JSON.stringify({ providers: { host: provider } }));
  const started = performance.now();
  const child = spawn(
    'docker',
    [
      'run',
      '--rm',
      '-i',
      '--pull',
      'never',
      '--user',
      '0:0',
      '-v',
      `${repo}:/work`,
      '-v',
      `${agent}:/agent`,
      '-w',
      '/work',
      '-e',
      'PI_CODING_AGENT_DIR=/agent',
      '-e',
      'HOME=/tmp',
      '-e',
      'PI_OFFLINE=1',
      '--entrypoint',
      GUEST.node,
      image,
      GUEST.piCli,
      '--mode',
      'rpc',
      '--no-session',
      '--model',
      'host/bench',
    ],
    { stdio: ['pipe', 'pipe', 'inherit'] },
  );
  child.stdin.write(`${JSON.stringify({ id: 'p', type: 'prompt', message: 'hi' })}\n`);
  const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS);
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (line.includes('"agent_settled"')) child.stdin.end();
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  const gone = Math.round(performance.now() - started);
  server.close();
  server.closeAllConnections();
  if (code !== 0 || asked.at === undefined) throw new Error(`the plain recipe failed with exit code ${code}`);
  return { first: Math.round(asked.at - started), gone };
}

async function sandbox(repo: string): Promise<Times> {
  const started = performance.now();
  const child = spawn(
    process.execPath,
    [
      path.join(root, 'bin/pi-sandbox.mjs'),
      'run',
      repo,
      'hi',
      '--json',
      '--model',
      `scripted:${path.join(work, 'scenario.yaml')}`,
    ],
    { stdio: ['ignore', 'pipe', 'inherit'], env: { ...process.env, XDG_STATE_HOME: path.join(work, 'state') } },
  );
  const timer = setTimeout(() => child.kill('SIGKILL'), RUN_MS);
  let first: number | undefined;
  createInterface({ input: child.stdout }).on('line', (line) => {
    if (first === undefined && line.includes('"gateway.request"')) first = performance.now() - started;
  });
  const code = await new Promise((resolve) => child.once('close', resolve));
  clearTimeout(timer);
  if (code !== 0 || first === undefined) throw new Error(`pi-sandbox run failed with exit code ${code}`);
  return { first: Math.round(first), gone: Math.round(performance.now() - started) };
}

/** Answers every call with one word, and notes when the first came. */
async function fakeModel(): Promise<{ server: Server; asked: { at?: number } }> {
  const asked: { at?: number } = {};
  const server = createServer((request, response) => {
    asked.at ??= performance.now();
    request.resume().on('end', () => {
      const usage = {
        input: 1,
        output: 1,
        cacheRead: 0,
        cacheWrite: 0,
        totalTokens: 2,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
      };
      const events = [
        { type: 'start' },
        { type: 'text_start', contentIndex: 0 },
        { type: 'text_delta', contentIndex: 0, delta: 'Done.' },
        { type: 'text_end', contentIndex: 0, content: 'Done.' },
        { type: 'done', reason: 'stop', usage },
      ];
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.end(events.map((event) => `data: ${JSON.stringify(event)}\n\n`).join(''));
    });
  });
  server.listen(0, bridgeAddress());
  await new Promise((resolve) => server.once('listening', resolve));
  return { server, asked };
}

/** The host as containers on the default bridge see it: the gateway, or the first address of the subnet. */
function bridgeAddress(): string {
  const format = '{{(index .IPAM.Config 0).Gateway}} {{(index .IPAM.Config 0).Subnet}}';
  const text = execFileSync('docker', ['network', 'inspect', 'bridge', '--format', format], { encoding: 'utf8' });
  const address = /\d+\.\d+\.\d+\.\d+/.exec(text)?.[0];
  if (address === undefined) throw new Error('the engine has no IPv4 bridge network; the plain recipe needs it');
  return address.replace(/\.0$/, '.1');
}

function median(times: readonly Times[], of: keyof Times): number {
  const sorted = times.map((entry) => entry[of]).sort((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)]!;
}
