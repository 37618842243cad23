import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { hostname, tmpdir } from 'node:os';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { GiB, MiB } from '../../src/lib/bytes.ts';
import { LABEL } from '../../src/protocol/labels.ts';
import { knownInstallation } from '../../src/run/installation.ts';
import { MemoryWatch } from '../support/controller.ts';
import { testEngine } from '../support/engine.ts';
import { endOf, ofType, piEvents, textOf } from '../support/pi-records.ts';
import { bash, call, type EndedRun, Session } from '../support/session.ts';

const session = new Session();
const MEMORY_GROWTH = 120 * MiB;
const SMALL_FILES = 100_000;
const FILES_PER_FOLDER = 1_000;
const PRODUCT = path.join(import.meta.dirname, '../..');
const notices = ({ records }: EndedRun): string =>
  records.flatMap((record) => (record.type === 'notice' ? [String(record['message'])] : [])).join('\n');

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
});

/** Containers and volumes of this session's installation, in any state. */
async function leftovers(): Promise<unknown[]> {
  const stateRoot = path.join(session.folder, 'state/pi-sandbox');
  const installation = knownInstallation({ machine: hostname(), stateRoot });
  if (installation === undefined) return [];
  const own = { [LABEL.installation]: installation };
  return [...(await engine.list(own)), ...(await engine.volumes(own))];
}

describe('a big tree (D49)', () => {
  let root: string;
  // In memory where the machine has that: making so many files on a disk takes longer than the test.
  const fast = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'pi-big-'));
  const temp = path.join(fast, 'tmp');
  afterAll(() => rmSync(fast, { recursive: true, force: true }));
  beforeAll(() => {
    root = path.join(fast, 'big');
    for (let folder = 0; folder < SMALL_FILES / FILES_PER_FOLDER; folder++) {
      mkdirSync(path.join(root, `d${folder}`), { recursive: true });
      for (let file = 0; file < FILES_PER_FOLDER; file++) {
        writeFileSync(path.join(root, `d${folder}`, `${file}.txt`), `file ${file}\n`);
      }
    }
    writeFileSync(path.join(root, 'large.bin'), '');
    truncateSync(path.join(root, 'large.bin'), GiB);
    mkdirSync(temp);
  });

  test('is copied in with little memory, and an end half-way leaves nothing', async () => {
    const live = session.start(root, [{ text: 'never' }], { env: { TMPDIR: temp } });
    await live.until(({ type }) => type === 'run_started');
    using memory = new MemoryWatch(live.child.pid ?? 0);
    const imported = await live.until(({ type }) => type === 'imported');
    expect(imported).toMatchObject({ files: SMALL_FILES + 1, changed: [] });
    expect(memory.samples).toBeGreaterThan(10);
    expect(memory.growth).toBeLessThan(MEMORY_GROWTH);
    live.child.kill('SIGINT');
    expect((await live.ended).code).toBe(130);
    expect(await leftovers()).toEqual([]);
    expect(readdirSync(temp)).toEqual([]);
  });

  test('shows on a terminal how far it is, and Ctrl-C in the middle leaves no container and no temp data', async () => {
    const started = session.pty(['run', '--repo', root, '--model', session.script([{ text: 'never' }]), 'go'], {
      TMPDIR: temp,
    });
    await started.until(/Looking at .*: \d+ files/);
    await started.until(/Copying in: [1-9]\d* of 100001 files/);
    // The positive control: there is something to leave behind.
    expect(await leftovers()).not.toEqual([]);
    started.type('\u0003');
    expect(await started.ended).toBe(130);
    expect(await leftovers()).toEqual([]);
    expect(readdirSync(temp)).toEqual([]);
  });
});

describe('a repository too large for memory', () => {
  test('is mounted for a profile that only reads, which is said; a writing one can leave the large file out', async () => {
    const root = session.repository('huge', { 'README.md': 'huge\n' });
    writeFileSync(path.join(root, 'huge.bin'), '');
    truncateSync(path.join(root, 'huge.bin'), engine.facts.memory);
    const read = await session.run(
      root,
      [
        bash('stat -c %s huge.bin; touch x'),
        { expect: [String(engine.facts.memory), 'Read-only file system'], text: 'done' },
      ],
      { args: ['--profile', 'review'] },
    );
    expect(read.code).toBe(0);
    expect(notices(read)).toContain('too large to copy into memory, so it is mounted read-only instead');
    const less = await session.run(root, [bash('ls'), { expect: 'README.md', expectNot: 'huge.bin', text: 'done' }], {
      args: ['--exclude', 'huge.bin'],
    });
    expect(less.code).toBe(0);
  });
});

describe('a real tree of thousands of files', () => {
  test('is worked on with seven tools: the product itself with some of its dependencies', async () => {
    const run = await session.run(
      PRODUCT,
      [
        {
          tools: [
            call('ls', { path: '.' }),
            call('find', { pattern: '**/package.json' }),
            call('grep', { pattern: 'makePlan', path: 'src' }),
          ],
        },
        {
          expect: ['package.json', 'plan/make-plan.ts:'],
          tools: [call('read', { path: 'src/plan/make-plan.ts', limit: 20 })],
        },
        {
          tools: [
            call('edit', {
              path: 'package.json',
              edits: [{ oldText: '"type": "module"', newText: '"type": "commonjs"' }],
            }),
            call('write', { path: 'new/file.txt', content: 'new\n' }),
          ],
        },
        bash(
          'git diff --stat; git status --porcelain; git ls-files | wc -l; find . -type f -not -path "./.git/*" | wc -l; node -e "console.log(Object.keys(require(\'zod\')).length > 10)"',
        ),
        { expect: [' M package.json', '?? new/', 'true'], text: 'done' },
      ],
      {
        args: [
          '--include',
          'node_modules/@sinclair',
          '--include',
          'node_modules/zod',
          '--include',
          'node_modules/openai',
        ],
      },
    );
    expect(run.code).toBe(0);
    const used = new Set(
      piEvents(run.records, 'tool_execution_end')
        .filter(({ isError }) => isError === false)
        .map(({ toolName }) => toolName),
    );
    expect([...used].sort()).toEqual(['bash', 'edit', 'find', 'grep', 'ls', 'read', 'write']);
    const { files } = ofType(run.records, 'imported') as unknown as { files: number };
    expect(files).toBeGreaterThan(5_000);
    expect(textOf(run.records, 'call_4_1')).toContain(`\n${files + 1}\n`);
    expect(endOf(run.records, 'call_4_1').isError).toBe(false);
  });
});
