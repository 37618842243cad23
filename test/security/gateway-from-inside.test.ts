import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { type CliResult, runCli, tempFolder } from '../support/cli.ts';
import { testEngine } from '../support/engine.ts';
import { type FakeUpstream, fakeUpstream, sse, type UpstreamAnswer } from '../support/fake-upstream.ts';
import { ANTHROPIC } from '../support/fake-upstream-styles.ts';
import { type Asked, bash, type HeldRun, HOLD, holdRun } from '../support/live-run.ts';

/** One line of the client's output. */
interface Attempt {
  readonly name: string;
  readonly status: number;
  readonly code?: string;
  readonly how: string;
  readonly ms: number;
  /** When the answer had come, milliseconds since the epoch. */
  readonly at: number;
  readonly answers: number;
  readonly statuses?: (number | string)[];
}

const client = readFileSync(path.join(import.meta.dirname, 'programs/gateway-client.mjs'));
const CLIENT = `echo ${client.toString('base64')} | base64 -d >/tmp/client.mjs; PROBE_MODEL=${ANTHROPIC.id} node /tmp/client.mjs`;
/** Connections that send a byte now and then and never a whole request; they outlive the command that starts them. */
const SLOW = `cat >/tmp/slow.mjs <<'END'
import net from 'node:net';
for (let n = 0; n < 12; n++) {
  const socket = net.connect(18080, '127.0.0.1').on('error', () => {});
  socket.write('POST /messages HTTP/1.1\\r\\nX: ');
  setInterval(() => socket.write('x'), 200);
}
console.log('slow');
END
setsid node /tmp/slow.mjs >/tmp/slow.log 2>&1 & until grep -q slow /tmp/slow.log; do sleep 0.05; done; echo started`;
/** Asks on and on, until the container ends. */
const POSTER = `setsid bash -c 'while :; do curl -s -o /dev/null http://127.0.0.1:18080/after-the-end; sleep 0.1; done' >/dev/null 2>&1 & echo started`;
const GLUE = `printf 'no line end' >/proc/$PPID/fd/1; echo glued`;

/** What must come of each attempt: status and reason code. */
const EXPECTED: Readonly<Record<string, readonly [status: number, code: string]>> = {
  get: [405, 'method'],
  delete: [405, 'method'],
  files: [404, 'path'],
  batches: [404, 'path'],
  query: [404, 'path'],
  dots: [404, 'path'],
  encoded: [404, 'path'],
  slash: [404, 'path'],
  doubleSlash: [400, 'absolute_form'],
  absolute: [400, 'absolute_form'],
  asterisk: [400, 'absolute_form'],
  connect: [405, 'connect'],
  upgrade: [426, 'upgrade'],
  upgradePost: [426, 'upgrade'],
  hugeHeader: [431, 'header_size'],
  manyHeaders: [431, 'header_size'],
  lengthAndChunks: [400, 'protocol'],
  twoLengths: [400, 'protocol'],
  otherCoding: [400, 'transfer_encoding'],
  folded: [400, 'protocol'],
  spaceInName: [400, 'protocol'],
  bareLf: [400, 'protocol'],
  http2: [400, 'protocol'],
  tls: [400, 'protocol'],
  noise: [400, 'protocol'],
  compressed: [415, 'content_encoding'],
  form: [415, 'content_type'],
  noJson: [400, 'json'],
  deep: [400, 'depth'],
  otherModel: [403, 'model'],
  modelTwice: [403, 'model'],
  modelNul: [403, 'model'],
  imageUrl: [400, 'schema'],
  imageData: [400, 'schema'],
  fileId: [400, 'schema'],
  serverTool: [400, 'schema'],
};

const says = (text: string, ...tools: Asked[]): UpstreamAnswer =>
  sse(...ANTHROPIC.say({ text, tools: tools.map((tool, at) => ({ id: `call_${text}_${at}`, ...tool })) }));

let engine: Engine;
let repo: string;
let run: HeldRun & AsyncDisposable;
let upstream: FakeUpstream;
let ended: CliResult;
let attempts: Map<string, Attempt>;
/** Ledger lines of calls that were on disk when the provider got its request. */
const openBefore: number[] = [];

beforeAll(async () => {
  engine = await testEngine();
  repo = path.join(tempFolder(), 'repo');
  mkdirSync(repo);
  writeFileSync(path.join(repo, 'README.md'), 'A project.\n');
  const answers = [
    says('hold', HOLD),
    says('client', bash(CLIENT)),
    // For the one call of the client that is in order.
    says('in order'),
    says('slow', bash(SLOW)),
    says('glue', bash(GLUE)),
    says('poster', bash(POSTER)),
    says('end'),
  ];
  upstream = await fakeUpstream(
    ...answers.map(
      (answer, index): UpstreamAnswer =>
        (res, req) => {
          if (index > 0) openBefore.push(run.ledger().filter(({ entry }) => entry === 'open').length);
          return answer(res, req);
        },
    ),
  );
  const env = { ANTHROPIC_API_KEY: 'sk-test-of-the-gateway' };
  run = await holdRun({ engine, repo, turns: [], model: ANTHROPIC.spec, args: ['--base-url', upstream.origin], env });
  ended = await run.release();
  const lines = (run.results()[1] ?? '').trim().split('\n');
  attempts = new Map(lines.map((line) => JSON.parse(line) as Attempt).map((attempt) => [attempt.name, attempt]));
}, 120_000);

afterAll(async () => {
  await run?.[Symbol.asyncDispose]();
  await upstream?.[Symbol.asyncDispose]();
});

describe('the gateway, asked from inside', () => {
  it.each(Object.entries(EXPECTED))(
    'refuses "%s" with its reason, within a second (BR1-BR9, D27)',
    (name, [status, code]) => {
      const attempt = attempts.get(name);
      expect({ status: attempt?.status, code: attempt?.code }).toEqual({ status, code });
      expect(attempt?.answers).toBe(1);
      expect(attempt?.ms).toBeLessThan(1_000);
    },
  );

  it('ends a connection on which something follows a request, and carries out neither (BR7)', () => {
    // The refusal of the first was on its way, and gets there unless the end of the connection overtakes it.
    const { status, answers, how } = attempts.get('pipelined')!;
    expect(['404 1 end', '0 0 reset']).toContain(`${status} ${answers} ${how}`);
    expect(attempts.get('pipelinedCalls')).toMatchObject({ answers: 0, how: expect.stringMatching(/^(end|reset)$/) });
    expect(upstream.requests.map(({ body }) => body).join()).not.toContain('of two');
  });

  it('answers as many connections as the wire has streams, and closes the surplus (BR13)', () => {
    const statuses = attempts.get('crowd')?.statuses ?? [];
    expect(statuses).toHaveLength(40);
    expect(statuses.filter((status) => status === 405).length).toBeGreaterThanOrEqual(24);
    for (const status of statuses) expect([405, 'end', 'reset']).toContain(status);
  });

  it('writes each refusal down before it answers it', () => {
    const refused = run.ledger().filter(({ entry }) => entry === 'refused');
    const asked = Object.keys(EXPECTED);
    expect(refused.slice(0, asked.length).map((entry) => (entry.entry === 'refused' ? entry.code : ''))).toEqual(
      asked.map((name) => EXPECTED[name]?.[1]),
    );
    for (const [index, name] of asked.entries()) {
      expect(Date.parse(refused[index]?.time ?? '')).toBeLessThanOrEqual(attempts.get(name)?.at ?? 0);
    }
  });

  it('makes no call for any of them: the provider and the ledger know exactly those of the conversation (BR10)', () => {
    expect(ended.code).toBe(0);
    expect(upstream.requests).toHaveLength(7);
    const entries = run.ledger();
    expect(entries.filter(({ entry }) => entry === 'open')).toHaveLength(7);
    expect(entries.filter(({ entry }) => entry === 'close')).toHaveLength(7);
    for (const { url } of upstream.requests) expect(url).toMatch(ANTHROPIC.path);
  });

  it('has a call in the ledger before the provider has it', () => {
    expect(openBefore).toEqual([2, 3, 4, 5, 6, 7]);
  });

  it('passes on the conversation and nothing else of a request (BR6, BR9, PI3, PI4)', () => {
    expect(attempts.get('extra')?.status).toBe(200);
    const request = upstream.requests[2];
    expect(request?.body).toContain('evil-free text');
    const rest = JSON.stringify(request).replaceAll('evil-free text', '');
    for (const stray of ['evil', 'web_fetch', 'mcp_servers', 'container_1']) expect(rest).not.toContain(stray);
  });

  it('goes on serving pi while slow connections are held open (BR13)', () => {
    // The answers after the one that starts them came through, and the run was completed.
    expect(run.results()[2]).toContain('started');
    expect(run.results()).toHaveLength(5);
  });

  it('takes nothing after the end of the run (BR11)', () => {
    const end = run.records().at(-1);
    expect(end).toMatchObject({ type: 'outcome', outcome: 'completed' });
    for (const { time } of run.ledger()) expect(Date.parse(time)).toBeLessThanOrEqual(Date.parse(end?.time ?? ''));
    expect(run.ledger().at(-1)).toBeDefined();
    expect(upstream.requests).toHaveLength(7);
  });

  it("a stray write to pi's output costs a line of it, and neither the outcome nor the record of it (D08)", () => {
    expect(run.records().some(({ type }) => type === 'pi_damaged')).toBe(true);
    expect(ended.stdout).toContain('end');
  });
});

/** A run whose only command does this. */
async function runWith(command: string): Promise<{ result: CliResult; upstream: FakeUpstream }> {
  const provider = await fakeUpstream(says('attack', bash(command)), ...Array.from({ length: 8 }, () => says('end')));
  const env = { ANTHROPIC_API_KEY: 'sk-test-of-the-gateway' };
  const args = ['run', repo, 'probe', '--model', ANTHROPIC.spec, '--base-url', provider.origin, '--json'];
  const result = await runCli(args, { env });
  await provider[Symbol.asyncDispose]();
  return { result, upstream: provider };
}

const outcomeOf = ({ stdout }: CliResult): unknown => JSON.parse(stdout.trim().split('\n').at(-1) ?? '');

describe('a request that ends the run', () => {
  it('is one that declares a larger body than any conversation has; it is not waited for (BR12)', async () => {
    const { result, upstream: provider } = await runWith(
      `exec 3<>/dev/tcp/127.0.0.1/18080; printf 'POST /messages HTTP/1.1\\r\\nHost: h\\r\\nContent-Type: application/json\\r\\nContent-Length: 1000000000\\r\\n\\r\\n' >&3; head -1 <&3`,
    );
    expect(result.code).toBe(4);
    expect(outcomeOf(result)).toMatchObject({ outcome: 'limit_reached', limit: 'gateway.requestBytes' });
    expect(provider.requests).toHaveLength(1);
  });

  it('is one with other tools than planned (BR9)', async () => {
    const message = {
      role: 'system',
      content: '',
      toolsAdded: [{ name: 'web_search', description: '', parameters: {} }],
      timestamp: 1,
    };
    const body = JSON.stringify({ model: ANTHROPIC.id, context: { messages: [message] } });
    const { result, upstream: provider } = await runWith(
      `curl -s http://127.0.0.1:18080/messages -H 'Content-Type: application/json' -d '${body}'`,
    );
    expect(result.code).toBe(4);
    expect(outcomeOf(result)).toMatchObject({ outcome: 'policy_stopped' });
    expect(provider.requests).toHaveLength(1);
  });

  it('is one call too many at the same time (BR10)', async () => {
    const body = JSON.stringify({
      model: ANTHROPIC.id,
      context: { messages: [{ role: 'user', content: 'x', timestamp: 1 }] },
    });
    // Bodies that never end keep the calls open, so that all of them are under way at once.
    const { result, upstream: provider } = await runWith(
      `for n in 1 2 3 4 5 6; do (printf 'POST /messages HTTP/1.1\\r\\nHost: h\\r\\nContent-Type: application/json\\r\\nContent-Length: ${body.length + 1}\\r\\n\\r\\n%s' '${body}'; sleep 20) >/dev/tcp/127.0.0.1/18080 & done; wait`,
    );
    expect(result.code).toBe(4);
    expect(outcomeOf(result)).toMatchObject({ outcome: 'limit_reached', limit: 'gateway.concurrentCalls' });
    expect(provider.requests).toHaveLength(1);
  });
});
