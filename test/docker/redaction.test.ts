import { randomBytes } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { SandboxRecord } from '../../src/protocol/record.ts';
import { Canaries } from '../support/canary.ts';
import { fakeUpstream, sse } from '../support/fake-upstream.ts';
import { ANTHROPIC } from '../support/fake-upstream-styles.ts';
import { BIN, type Ended, Session } from '../support/session.ts';

const session = new Session();
const random = (length: number): string => randomBytes(length).toString('hex').slice(0, length);
/** The brokered key: on the host only. Found in any form. */
const canaries = new Canaries();
const KEY = `sk-ant-${canaries.secret('brokered')}`;
/** What a repository holds: forms that are known, and one that is secret because the host has it in a variable. */
const GITHUB = `ghp_${random(36)}`;
const PASSWORD = `pw-${random(20)}`;
const OWN = `deploy ${random(12)}`;
const ENV_FILE = `GITHUB_TOKEN=${GITHUB}\nAPP_SECRET="s-${random(20)}"\nDATABASE_URL=postgres://app:${PASSWORD}@db/x\n`;

const repo = session.repository('repo', { '.gitignore': '.env\n', 'README.md': 'hello\n' });
writeFileSync(path.join(repo, '.env'), ENV_FILE, { mode: 0o600 });
mkdirSync(path.join(session.folder, 'home'));

const policy = (name: string, text: object): string => {
  const file = path.join(session.folder, `${name}.yaml`);
  writeFileSync(file, JSON.stringify({ version: 1, ...text }));
  return file;
};
/** Reading such a file is asked for otherwise: redaction is for what is read all the same. */
const READING = { off: ['secret-env-files'] };
const ON = policy('on', READING);
const OFF = policy('off', { ...READING, redaction: { known: false, ownSecrets: 'off' } });

/** Everything that anybody on the host gets of a run. */
interface Seen {
  readonly code: number | null;
  readonly folder: string;
  readonly sinks: Readonly<Record<string, string>>;
  /** Bodies of the requests of the provider. */
  readonly asked: readonly string[];
}

const BIG = 'for i in $(seq 3000); do echo "line $i of many that are printed"; done; cat .env';
/** The agent prints the secrets, prints a lot, and passes one on as an argument of a tool; the provider sends the key back. */
const steps = [
  { tools: [{ id: 'c1', name: 'bash', arguments: { command: `cat ./.env; env; ${BIG}` } }] },
  { text: `It is ${GITHUB}`, tools: [{ id: 'c2', name: 'bash', arguments: { command: `echo ${GITHUB} ${KEY}` } }] },
  { text: `done with ${GITHUB} and ${KEY}` },
];

async function secretRun(args: readonly string[]): Promise<Seen> {
  await using upstream = await fakeUpstream(...steps.map((step) => sse(...ANTHROPIC.say(step))));
  const command = ['run', repo, '--include', '.env', '--keep-outputs', '--model', ANTHROPIC.spec];
  const umask = ['-c', 'umask 000; exec "$@"', 'x', process.execPath, BIN];
  const options = { env: { ANTHROPIC_API_KEY: KEY, HOME: path.join(session.folder, 'home') } };
  const whole = [...umask, ...command, '--base-url', upstream.origin, ...args];
  const json = await session.exec('bash', [...whole, '--json', 'go'], options);
  const asked = upstream.requests.map(({ body }) => body);
  upstream.answers.push(...steps.map((step) => sse(...ANTHROPIC.say(step))));
  const human = await session.exec('bash', [...whole, 'go'], options);
  const first = JSON.parse(json.stdout.toString().split('\n')[0] ?? '{}') as SandboxRecord;
  const folder = path.join(session.runs, first.run);
  const cli = async (...words: string[]): Promise<string> => all(await session.cli(words, options));
  return {
    code: json.code,
    folder,
    asked,
    sinks: {
      '--json': all(json),
      'the transcript on the terminal': all(human),
      logs: await cli('logs', first.run),
      'logs --json': await cli('logs', first.run, '--json'),
      show: await cli('show', first.run),
      'show --json': await cli('show', first.run, '--json'),
      output: await cli('output', first.run, '1'),
      'output of the second call': await cli('output', first.run, '2'),
      ...Object.fromEntries(filesBelow(session.runs).map((file) => [file, readFileSync(file, 'latin1')])),
    },
  };
}

const all = ({ stdout, stderr }: Ended): string => `${stdout}\n${stderr}`;
const filesBelow = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name));
const where = (seen: Seen, text: string): string[] =>
  Object.entries(seen.sinks).flatMap(([name, content]) => (content.includes(text) ? [path.basename(name)] : []));
const withKey = (seen: Seen): string[] =>
  Object.entries(seen.sinks).flatMap(([name, content]) => (canaries.find(content).length > 0 ? [name] : []));

describe('secrets that an agent meets (D82)', () => {
  let seen: Seen;
  beforeAll(async () => {
    seen = await secretRun(['--policy', ON]);
  });

  test('are in nothing that the host keeps, prints or gives out, in one format as little as in another', () => {
    expect(seen.code).toBe(0);
    for (const secret of [GITHUB, PASSWORD, 's-']) {
      expect(where(seen, secret === 's-' ? (/s-\w{20}/.exec(ENV_FILE)?.[0] ?? '') : secret)).toEqual([]);
    }
    for (const sink of ['--json', 'the transcript on the terminal', 'logs', 'output']) {
      expect(seen.sinks[sink]).toContain('[redacted: github-token]');
    }
  });

  test('do not go to the model, and the rest of the text does', () => {
    expect(seen.asked).toHaveLength(3);
    expect(seen.asked[1]).not.toContain(PASSWORD);
    expect(seen.asked[1]).toContain('DATABASE_URL=postgres://app:[redacted: url-password]@db/x');
    // What the model itself has said is left as it was.
    expect(seen.asked[2]?.split(GITHUB)).toHaveLength(3);
    expect(seen.asked[2]).toContain('[redacted: github-token]');
  });

  test('that are the key of the provider are nowhere in any form, also when the provider sends it', () => {
    expect(withKey(seen)).toEqual([]);
    expect(seen.asked.flatMap((body) => canaries.find(body))).toEqual([]);
  });

  test('are kept in files for their owner alone, whatever the umask', () => {
    const wrong = readdirSync(session.runs, { recursive: true, withFileTypes: true }).flatMap((entry) => {
      const file = path.join(entry.parentPath, entry.name);
      return (statSync(file).mode & 0o777) === (entry.isDirectory() ? 0o700 : 0o600) ? [] : [file];
    });
    expect(wrong).toEqual([]);
  });

  test('are counted in what the gateway records', () => {
    const request = seen.sinks['--json']?.split('\n').find((line) => line.includes('"url-password":'));
    expect(JSON.parse(request ?? '{}')).toMatchObject({ type: 'gateway.request', source: 'observed' });
  });
});

test('with redaction off all but the key is everywhere (control of D82)', async () => {
  const seen = await secretRun(['--policy', OFF]);
  for (const sink of ['--json', 'the transcript on the terminal', 'logs', 'output', 'output of the second call']) {
    expect(seen.sinks[sink]).toContain(GITHUB);
  }
  expect(where(seen, PASSWORD)).toContain('events.jsonl');
  expect(seen.asked[1]).toContain(PASSWORD);
  expect(withKey(seen)).toEqual([]);
});

test('a pattern of the policy holds for the model and for every sink, in results and in arguments', async () => {
  const number = `CUST-${String(Date.now()).slice(-6)}`;
  const folder = session.repository('customers', { 'orders.txt': `order of ${number}, paid\n` });
  const turns = [
    { tools: [{ name: 'read', arguments: { path: 'orders.txt' } }] },
    {
      expect: 'order of [redacted: customer], paid',
      expectNot: number,
      tools: [{ name: 'bash', arguments: { command: `echo ${number}` } }],
    },
    { expect: '[redacted: customer]', expectNot: number, text: `done with ${number}` },
  ];
  const mine = policy('mine', { redaction: { patterns: [{ id: 'customer', pattern: 'CUST-[0-9]{6}' }] } });
  const run = await session.run(folder, turns, { args: ['--policy', mine, '--keep-outputs'] });
  expect(run.code, all(run)).toBe(0);
  const id = run.records[0]?.run ?? '';
  const kept = filesBelow(path.join(session.runs, id)).filter((file) => readFileSync(file, 'latin1').includes(number));
  expect(kept).toEqual([]);
  for (const words of [
    ['logs', id],
    ['logs', id, '--json'],
    ['output', id, '1'],
    ['policy', 'explain', id, '2'],
  ]) {
    const shown = all(await session.cli(words));
    expect(shown, words.join(' ')).toContain('[redacted: customer]');
    expect(shown, words.join(' ')).not.toContain(number);
  }
  expect(all(run)).not.toContain(number);

  const without = await session.run(folder, [turns[0] ?? {}, { expect: number, text: 'done' }]);
  expect(without.code, 'without the pattern (control)').toBe(0);
  expect(all(without)).toContain(number);
});

test('what the user says goes to the model as it is, and is kept without its secrets', async () => {
  await using upstream = await fakeUpstream(sse(...ANTHROPIC.say({ text: `Fine, ${GITHUB}.` })));
  const run = await session.cli(
    ['run', repo, '--json', '--model', ANTHROPIC.spec, '--base-url', upstream.origin, `use ${GITHUB} now`],
    { env: { ANTHROPIC_API_KEY: KEY } },
  );
  expect(run.code).toBe(0);
  expect(upstream.requests[0]?.body).toContain(`use ${GITHUB} now`);
  const { run: id } = JSON.parse(run.stdout.toString().split('\n')[0] ?? '{}') as SandboxRecord;
  expect(all(run)).not.toContain(GITHUB);
  const folder = path.join(session.runs, id);
  expect(filesBelow(folder).filter((file) => readFileSync(file, 'latin1').includes(GITHUB))).toEqual([]);
  expect(all(await session.cli(['show', id]))).toContain('use [redacted: github-token] now');
});

describe('a secret of this machine in the repository', () => {
  const env = { DEPLOY_PASSWORD: OWN };
  const turns = (expected: string) => [
    { tools: [{ name: 'bash', arguments: { command: 'cat notes.txt; base64 -w 40 notes.txt' } }] },
    { expect: expected, expectNot: OWN, text: 'ok' },
  ];
  let own: string;
  beforeAll(() => {
    own = session.repository('own', { 'notes.txt': `The word is "${OWN}", do not tell.\n` });
  });

  test('does not reach the model, and the run says so', async () => {
    const run = await session.run(own, turns('[redacted: own DEPLOY_PASSWORD]'), { env });
    expect(run.code).toBe(0);
    const seen = run.records.filter(({ type }) => type === 'secret.seen');
    expect(seen).toMatchObject([
      { source: 'observed', secret: 'DEPLOY_PASSWORD', where: 'result of bash', action: 'redacted' },
    ]);
    expect(all(run)).not.toContain(OWN);
    expect(all(run)).not.toContain(Buffer.from(OWN).toString('base64').slice(0, 12));
  });

  test('ends the run where the policy says so, before the model hears of it', async () => {
    const block = policy('block', { redaction: { ownSecrets: 'block' } });
    const run = await session.run(own, turns('never'), { env, args: ['--policy', block] });
    expect(run.code).toBe(4);
    expect(run.records.at(-1)).toMatchObject({ type: 'outcome', outcome: 'policy_stopped', requests: 1 });
    expect(String(run.records.at(-1)?.['reason'])).toMatch(
      /^DEPLOY_PASSWORD, a secret of this machine, .*result of bash/,
    );
    expect(all(run)).not.toContain(OWN);
  });

  test('is a text like any other where the policy says off (control)', async () => {
    const run = await session.run(own, [turns('')[0] ?? {}, { expect: OWN, text: 'ok' }], {
      env,
      args: ['--policy', OFF],
    });
    expect(run.code).toBe(0);
    expect(run.records.filter(({ type }) => type === 'secret.seen')).toEqual([]);
    expect(all(run)).toContain(OWN);
  });
});
