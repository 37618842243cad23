import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import type { LedgerEntry } from '../../src/protocol/ledger.ts';
import { type FileServer, fileServer } from '../support/file-server.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { ledger, textOf } from '../support/pi-records.ts';
import { bash, type EndedRun, Session } from '../support/session.ts';
import { withoutRules } from '../support/without-rules.ts';

const session = new Session();
const served = path.join(session.folder, 'served');
let server: FileServer;
/** On loopback as well, and never allowed. */
let other: FileServer;

beforeAll(imageReady, IMAGE_MS);
beforeAll(async () => {
  server = await fileServer(() => served);
  other = await fileServer(() => served);
});

const run = (repo: string, commands: readonly string[], args: readonly string[]): Promise<EndedRun> =>
  session.run(repo, [bash(...commands), { text: 'done' }], { args: [...withoutRules(session.folder), ...args] });
const results = ({ records }: EndedRun, count: number): string[] =>
  Array.from({ length: count }, (_, at) => textOf(records, `call_1_${at + 1}`));
const typed = ({ records }: EndedRun, wanted: string) => records.filter(({ type }) => type === wanted);
const noticesOf = (ended: EndedRun) => typed(ended, 'notice').map((record) => String(record['message']));
const attempts = ({ records }: EndedRun) =>
  ledger(session.runs, String(records[0]?.run)).filter(
    (line): line is LedgerEntry & { entry: 'egress' } => line.entry === 'egress',
  );

/** A registry with one package, a git repository and a page; returns a project that depends on the package. */
function outside(): string {
  const pack = path.join(session.folder, 'pack/package');
  mkdirSync(pack, { recursive: true });
  writeFileSync(path.join(pack, 'package.json'), '{"name":"tiny","version":"1.0.0","main":"index.js"}');
  writeFileSync(path.join(pack, 'index.js'), 'module.exports = "tiny works";\n');
  mkdirSync(path.join(served, 'tiny/-'), { recursive: true });
  const tarball = path.join(served, 'tiny/-/tiny-1.0.0.tgz');
  execFileSync('tar', ['-czf', tarball, '-C', path.dirname(pack), 'package']);
  const integrity = `sha512-${createHash('sha512').update(readFileSync(tarball)).digest('base64')}`;
  const resolved = `http://${server.at}/tiny/-/tiny-1.0.0.tgz`;
  writeFileSync(path.join(served, 'page'), 'hello from outside');
  const lock = {
    ...{ name: 'app', version: '1.0.0', lockfileVersion: 3, requires: true },
    packages: {
      '': { name: 'app', version: '1.0.0', dependencies: { tiny: '1.0.0' } },
      'node_modules/tiny': { version: '1.0.0', resolved, integrity },
    },
  };
  const project = session.repository('project', {
    'package.json': '{"name":"app","version":"1.0.0","dependencies":{"tiny":"1.0.0"}}',
    'package-lock.json': JSON.stringify(lock),
  });
  const bare = path.join(served, 'app.git');
  execFileSync('git', ['clone', '-q', '--bare', project, bare]);
  execFileSync('git', ['-C', bare, 'update-server-info']);
  return project;
}

describe('a run that may reach one host and port', () => {
  let ended: EndedRun;
  let said: string[];
  beforeAll(async () => {
    const project = outside();
    const commands = [
      `npm ci --no-audit --no-fund --registry http://${server.at}/ >/dev/null && node -p 'require("tiny")'`,
      `git clone -q http://${server.at}/app.git /tmp/app && ls /tmp/app`,
      `curl -sS http://${server.at}/page; echo; curl -sS -p http://${server.at}/page`,
      `node -e 'fetch("http://${server.at}/page").then(async (r) => console.log(await r.text()))'`,
      `python3 -c 'import urllib.request as u; print(u.urlopen("http://${server.at}/page").read().decode())'`,
      `curl -sS -m 2 -k https://${server.at}/ 2>&1 | head -1`,
      `curl -sS http://${other.at}/page`,
      'curl -sS -o /dev/null https://collector.example.com/ 2>&1; curl -sS http://169.254.169.254/latest/meta-data/',
      `curl -sS --noproxy '*' -m 2 http://${server.at}/page 2>&1; getent hosts ${'collector.example.com'}; cut -d: -f1 -s /proc/net/dev`,
      'env | grep -i -c proxy; tr "\\0" "\\n" </proc/$PPID/environ | grep -i -c "^https*_proxy"; true',
    ];
    ended = await run(project, commands, ['--allow', server.at]);
    said = results(ended, commands.length);
  }, 120_000);

  test('has npm install from its registry, git clone, and curl, Node and Python fetch (D23)', () => {
    expect(said[0]).toContain('tiny works');
    expect(said[1]).toContain('package-lock.json');
    expect(said[2]).toBe('hello from outside\nhello from outside');
    expect(said[3]?.trim()).toBe('hello from outside');
    expect(said[4]?.trim()).toBe('hello from outside');
    expect(server.asked).toEqual(expect.arrayContaining(['GET /tiny/-/tiny-1.0.0.tgz', 'GET /page']));
  });

  test('has its TLS passed through as it is: what arrives is the handshake of the program inside', () => {
    expect(server.asked.some((first) => first.startsWith('1603'))).toBe(true);
  });

  test('reaches nothing else, and is told why in words (D28, NW5)', () => {
    expect(said[6]).toContain(`${other.at} is not among what this run may reach`);
    expect(said[7]).toMatch(/403/);
    expect(said[7]).toContain('169.254.169.254:80 is not among');
    expect(other.asked).toEqual([]);
    const refused = attempts(ended).filter(({ decision }) => decision === 'refuse');
    // Calls of one turn run side by side.
    expect(refused.map(({ host, port, code }) => `${host}:${port} ${code}`).sort()).toEqual([
      `${other.at} not_allowed`,
      '169.254.169.254:80 not_allowed',
      'collector.example.com:443 not_allowed',
    ]);
  });

  test('still has no network: no interface, no name, no way around the proxy (D29, NW2)', () => {
    expect(said[8]).toMatch(/(refused|connect)/i);
    expect(said[8]).not.toContain('hello');
    expect(said[8]?.trim().split('\n').at(-1)?.trim()).toBe('lo');
  });

  test('tells commands of the proxy, and not pi', () => {
    expect(said[9]?.trim().split('\n').at(-1)).toBe('0');
    expect(Number(said[9]?.trim().split('\n')[0])).toBeGreaterThan(6);
  });

  test('says at the start what may be reached and at the end what was asked for, and show sums it up', async () => {
    expect(typed(ended, 'run_started')[0]).toMatchObject({ network: { mode: 'allow', allow: [server.at] } });
    expect(noticesOf(ended).at(-1)).toBe('To let through what was refused: --allow collector.example.com:443');
    const { stdout } = await session.cli(['show', String(ended.records[0]?.run), '--json']);
    const { ledger: sums } = JSON.parse(stdout.toString()) as { ledger: { egress: object } };
    const allowed = attempts(ended).filter(({ decision }) => decision === 'allow').length;
    expect(sums.egress).toMatchObject({ allowed, refused: 3, reached: [server.at] });
  });
});

test('a run without a word about it has no proxy: commands are told of none, and nothing listens (M17)', async () => {
  const repo = session.repository('plain', { 'a.txt': 'a' });
  const before = server.asked.length;
  const [said] = results(
    await run(
      repo,
      [`env | grep -ic 'https*_proxy'; curl -sS -m 2 -x http://127.0.0.1:18081 http://${server.at}/page 2>&1`],
      [],
    ),
    1,
  );
  expect(said).toMatch(/^0\n/);
  expect(said).toMatch(/(refused|connect)/i);
  expect(server.asked).toHaveLength(before);
}, 60_000);

test('learning lets nothing out, and prints the smallest list that would have been needed', async () => {
  const repo = session.repository('learner', { 'a.txt': 'a' });
  const ended = await run(
    repo,
    [
      'curl -s -o /dev/null https://registry.example.com/a https://registry.example.com/b http://pypi.example.com/; true',
    ],
    ['--network', 'learn'],
  );
  expect(noticesOf(ended).at(-1)).toBe(
    'To let through what was refused: --allow registry.example.com:443 --allow pypi.example.com:80',
  );
  expect(attempts(ended).every(({ decision }) => decision === 'refuse')).toBe(true);
}, 60_000);

test('a tunnel is cut when the run ends (M17, M20)', async () => {
  const repo = session.repository('held', { 'a.txt': 'a' });
  const live = session.start(
    repo,
    [
      bash(
        `exec 3<>/dev/tcp/127.0.0.1/18081; printf 'CONNECT ${server.at} HTTP/1.1\\r\\n\\r\\nhold' >&3; head -c 20 <&3; sleep 100`,
      ),
    ],
    {
      args: [...withoutRules(session.folder), '--allow', server.at],
    },
  );
  await live.until(({ type, decision }) => type === 'egress' && decision === 'allow');
  await expect.poll(() => server.sockets.size, { timeout: 5_000 }).toBe(1);
  live.child.kill('SIGTERM');
  await expect.poll(() => server.sockets.size, { timeout: 5_000 }).toBe(0);
  const ended = await live.ended;
  expect(ended.code).toBe(143);
  expect(typed(ended, 'egress.end')).toMatchObject([{ code: expect.stringMatching(/revoked|client/) }]);
}, 60_000);
