/**
 * The way into a sandbox and out of it against raw pipes of the same tree, interleaved in one run on one container:
 * `tar | docker exec -i tar` for copying in (listing the files and hashing them included), and `docker exec tar` for taking
 * ten changes out of ten thousand files (comparing and keeping them included).
 *
 *   npm run bench -- copy [--runs N]
 */
import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { collectChanges } from '../src/changes/collect.ts';
import { MAX_DEPTH } from '../src/changes/limits.ts';
import { readFrom } from '../src/changes/start-content.ts';
import { ChangeStore } from '../src/changes/store.ts';
import { demux } from '../src/container/demux.ts';
import { execExit } from '../src/container/exec-exit.ts';
import { exportTree } from '../src/container/export-tree.ts';
import { runExec } from '../src/container/run-exec.ts';
import { GiB, MiB } from '../src/lib/bytes.ts';
import { containerSpec } from '../src/plan/container-spec.ts';
import { GUEST } from '../src/protocol/guest.ts';
import { type ManifestEntry, manifestKey } from '../src/protocol/manifest.ts';
import { packSelection } from '../src/workspace/pack.ts';
import { selectFiles } from '../src/workspace/select.ts';
import { testContainerPlan, testEngine } from '../test/support/engine.ts';

const { values } = parseArgs({ options: { runs: { type: 'string', default: '5' } } });
const runs = Number(values.runs);
const SMALL_FILES = 10_000;
const LARGE_FILES = 4;
const LARGE_BYTES = 256 * MiB;
const CHANGES = 10;
const DEADLINE_MS = 120_000;
/** Least share of the raw speed, and most of the raw time. */
const BARS = { large: 0.8, small: 0.5, out: 2 };

const work = mkdtempSync(path.join(tmpdir(), 'pi-sandbox-bench-'));
const engine = await testEngine();
const plan = await testContainerPlan();
const uid = plan.agentUid;
let container = '';
try {
  await main();
} finally {
  if (container !== '') await engine.remove(container);
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const tmpfs = plan.tmpfs.map((mount) => (mount.path === GUEST.workspace ? { ...mount, size: 3 * GiB } : mount));
  const spec = containerSpec({ ...plan, tmpfs, memory: 6 * GiB, fileSize: GiB, bootCpus: 2 });
  // Not the bridge, which leaves where nobody speaks with it.
  container = await engine.create({ ...spec, Entrypoint: [GUEST.tini, '--', '/bin/sleep', 'infinity'] });
  await engine.start(container);
  const small = path.join(work, 'small');
  const large = path.join(work, 'large');
  makeSmall(small);
  mkdirSync(large);
  for (let n = 0; n < LARGE_FILES; n++) writeFileSync(path.join(large, `${n}.bin`), randomBytes(LARGE_BYTES));

  const times: Record<string, number[]> = {};
  const note = async (name: string, action: () => Promise<unknown>): Promise<void> => {
    const started = performance.now();
    await action();
    times[name] = [...(times[name] ?? []), performance.now() - started];
  };
  // One of each is not counted: it fills the page cache.
  for (let run = 0; run <= runs; run++) {
    if (run === 1) for (const name of Object.keys(times)) times[name] = [];
    for (const [name, root] of Object.entries({ large, small })) {
      await emptied();
      await note(`${name} raw`, () => rawIn(root));
      await emptied();
      await note(`${name} ours`, () => copyIn(root));
    }
    const start = await manifestOf(small);
    await changed();
    await note('out raw', rawOut);
    await note('out ours', () => takeOut(small, start));
  }
  report(times);
}

function report(times: Readonly<Record<string, number[]>>): void {
  const ms = (name: string): number => median(times[name] ?? []);
  const megabytes = (LARGE_FILES * LARGE_BYTES) / 1e6;
  const line = (what: string, unit: string, raw: number, ours: number, ratio: number, bar: string, met: boolean) => {
    const figures = [raw, ours].map((figure) => figure.toFixed(0).padStart(8)).join('');
    console.log(
      `${what.padEnd(26)}${unit.padEnd(9)}${figures}${ratio.toFixed(2).padStart(8)}   ${bar}${met ? '' : '  MISSED'}`,
    );
    if (!met) process.exitCode = 1;
  };
  console.log(`medians of ${runs} interleaved runs\n`);
  console.log(`${''.padEnd(26)}${''.padEnd(9)}     raw    ours   ratio   bar`);
  const speed = (what: string, unit: string, name: 'large' | 'small', amount: number): void => {
    const [raw, ours] = [amount / (ms(`${name} raw`) / 1e3), amount / (ms(`${name} ours`) / 1e3)];
    line(what, unit, raw, ours, ours / raw, `at least ${BARS[name]}`, ours / raw >= BARS[name]);
  };
  speed(`in: ${LARGE_FILES} x ${LARGE_BYTES / MiB} MiB`, 'MB/s', 'large', megabytes);
  speed(`in: ${SMALL_FILES} small files`, 'files/s', 'small', SMALL_FILES);
  const ratio = ms('out ours') / ms('out raw');
  const out = `out: ${CHANGES} of ${SMALL_FILES} changed`;
  line(out, 'ms', ms('out raw'), ms('out ours'), ratio, `at most ${BARS.out}`, ratio <= BARS.out);
}

function makeSmall(folder: string): void {
  const content = randomBytes(3000).toString('hex');
  for (let n = 0; n < SMALL_FILES; n++) {
    const parent = path.join(folder, `folder-${n % 100}`);
    if (n < 100) mkdirSync(parent, { recursive: true });
    writeFileSync(path.join(parent, `file-${n}.txt`), content.slice(0, n % 3000));
  }
}

/** What people do by hand. */
function rawIn(root: string): Promise<void> {
  const inside = [
    'exec',
    '-i',
    '-u',
    `${uid}:${uid}`,
    container,
    '/bin/tar',
    '-x',
    '-p',
    '-f',
    '-',
    '-C',
    GUEST.workspace,
  ];
  return shell('tar -c -f - -C "$0" . | docker "$@"', root, ...inside);
}

function rawOut(): Promise<void> {
  const inside = ['exec', '-u', `${uid}:${uid}`, container, '/bin/tar', '-c', '-f', '-', '-C', GUEST.workspace, '.'];
  return shell('docker "$@" | cat >/dev/null', 'out', ...inside);
}

function shell(script: string, ...args: readonly string[]): Promise<void> {
  return new Promise((resolve, reject) => {
    const child = spawn('bash', ['-o', 'pipefail', '-c', script, ...args], { stdio: ['ignore', 'inherit', 'inherit'] });
    child.once('close', (code) => (code === 0 ? resolve() : reject(new Error(`${script} ended with ${code}`))));
  });
}

/** As a run does it: lists the files, sends them, notes what was sent. */
async function copyIn(root: string): Promise<Map<string, ManifestEntry>> {
  const entries = new Map<string, ManifestEntry>();
  const selection = await select(root);
  const exec = await engine.createExec(container, {
    user: `${uid}:${uid}`,
    workingDir: GUEST.workspace,
    env: [],
    // Reads on after the archive: a run does not end its input there.
    cmd: ['/bin/bash', '-c', '/bin/tar -x -p -f - && exec /bin/cat'],
    stdin: true,
  });
  const socket = await engine.startExec(exec, true);
  const { stdout, stderr, done } = demux(socket);
  stdout.resume();
  stderr.pipe(process.stderr);
  const onEntry = (entry: ManifestEntry): void => void entries.set(manifestKey(entry.path), entry);
  await packSelection(selection, socket, { uid, gid: uid, onEntry });
  socket.end();
  await done;
  const code = await execExit(engine, exec);
  if (code !== 0) throw new Error(`tar inside ended with ${code}`);
  return entries;
}

function select(root: string): ReturnType<typeof selectFiles> {
  return selectFiles({
    root,
    include: [],
    exclude: [],
    contextFiles: true,
    trustProject: false,
    scratchRoot: work,
    env: {},
  });
}

async function manifestOf(root: string): Promise<Map<string, ManifestEntry>> {
  await emptied();
  return copyIn(root);
}

/** Ten of the files get a line more. */
async function changed(): Promise<void> {
  const files = Array.from({ length: CHANGES }, (_, n) => `folder-${n}/file-${n + 5_000}.txt`).join(' ');
  await inside(`cd ${GUEST.workspace} && for file in ${files}; do echo more >> "$file"; done`);
}

async function takeOut(root: string, start: Map<string, ManifestEntry>): Promise<void> {
  const folder = mkdtempSync(path.join(work, 'changes-'));
  const { archive, exit, close } = await exportTree({
    engine,
    container,
    uid,
    path: GUEST.workspace,
    maxParts: MAX_DEPTH + 1,
  });
  const parts = { archive, exit, start, readStart: readFrom(root), store: new ChangeStore(folder), run: 'bench', root };
  const { changes, outcome } = await collectChanges(parts);
  close();
  if (changes.length !== CHANGES || outcome !== 'complete') throw new Error(`${changes.length} changes, ${outcome}`);
}

async function emptied(): Promise<void> {
  await inside(`cd ${GUEST.workspace} && rm -rf -- ./*`);
}

async function inside(script: string): Promise<void> {
  const cmd = ['/bin/bash', '-c', script];
  const { exitCode, stderr } = await runExec(engine, container, { uid, cmd, maxBytes: 4096, deadlineMs: DEADLINE_MS });
  if (exitCode !== 0) throw new Error(`${script} ended with ${exitCode}: ${stderr}`);
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? Number.NaN;
}
