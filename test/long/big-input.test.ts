import { existsSync, mkdirSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, test } from 'vitest';
import { GiB, MiB } from '../../src/lib/bytes.ts';
import { MemoryWatch } from '../support/controller.ts';
import { debianSource } from '../support/debian-source.ts';
import { figures } from '../support/figures.ts';
import { ofType, piEvents, textOf } from '../support/pi-records.ts';
import { bash, call, Session } from '../support/session.ts';

const MINUTE = 60_000;
const session = new Session(20 * MINUTE);
const FOLDERS = 100;
const FILES_PER_FOLDER = 1_000;

const mb = (bytes: number): string => `${Math.round(bytes / 1e6)} MB`;

test('a tree of 3 GB and 100 000 files is copied in, worked on and committed with little memory (D49)', async ({
  task,
}) => {
  const root = mkdtempSync(path.join(existsSync('/dev/shm') ? '/dev/shm' : tmpdir(), 'pi-big-'));
  try {
    for (let folder = 0; folder < FOLDERS; folder++) {
      mkdirSync(path.join(root, `d${folder}`));
      for (let file = 0; file < FILES_PER_FOLDER; file++)
        writeFileSync(path.join(root, `d${folder}/${file}.txt`), `${folder} ${file}\n`);
    }
    writeFileSync(path.join(root, 'large.bin'), '');
    truncateSync(path.join(root, 'large.bin'), 3 * GiB);
    const live = session.start(root, [
      bash('git status --porcelain; git log --oneline | wc -l; stat -c %s large.bin; ls | wc -l'),
      { text: 'done' },
    ]);
    await live.until(({ type }) => type === 'run_started');
    using memory = new MemoryWatch(live.child.pid ?? 0);
    const run = await live.ended;
    expect(run.code).toBe(0);
    expect(textOf(run.records, 'call_1_1')).toBe(`1\n${3 * GiB}\n${FOLDERS + 1}\n`);
    expect(memory.growth).toBeLessThan(120 * MiB);
    figures(task, `controller grew by ${mb(memory.growth)}`);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});

test('a command that prints 5 GB costs the controller little and the agent nothing (D18)', async ({ task }) => {
  const repo = session.repository('flood', { 'README.md': 'hello\n' });
  const live = session.start(repo, [
    bash({ command: 'yes | head -c 5000000000; echo end', timeout: 900 }),
    { expect: ['left out here', 'end'], ...bash('echo alive') },
    { expect: 'alive', text: 'done' },
  ]);
  await live.until(({ type }) => type === 'ready');
  using memory = new MemoryWatch(live.child.pid ?? 0);
  expect((await live.ended).code).toBe(0);
  expect(memory.growth).toBeLessThan(40 * MiB);
  figures(task, `controller grew by ${mb(memory.growth)}`);
});

test('a real source package of thousands of files is worked on with every tool', async ({ task }) => {
  const root = debianSource('git');
  const run = await session.run(root, [
    {
      tools: [
        call('ls', { path: '.' }),
        call('find', { pattern: 'Makefile' }),
        call('grep', { pattern: 'int cmd_main', glob: '*.c' }),
        call('read', { path: 'README.md', limit: 20 }),
        call('edit', {
          path: 'builtin.h',
          edits: [{ oldText: '#ifndef BUILTIN_H', newText: '#ifndef BUILTIN_H /* changed */' }],
        }),
        call('write', { path: 'notes/new.txt', content: 'new\n' }),
      ],
    },
    bash(
      'git diff --stat; git status --porcelain; git log --oneline | wc -l; find . -type f -not -path "./.git/*" | wc -l',
    ),
    { expect: [' M builtin.h', '?? notes/', '\n1\n'], text: 'done' },
  ]);
  expect(run.code).toBe(0);
  const used = piEvents(run.records, 'tool_execution_end').filter(({ isError }) => isError === false);
  expect([...new Set(used.map(({ toolName }) => toolName))].sort()).toEqual([
    'bash',
    'edit',
    'find',
    'grep',
    'ls',
    'read',
    'write',
  ]);
  const { files } = ofType(run.records, 'imported') as unknown as { files: number };
  expect(files).toBeGreaterThan(3_000);
  expect(textOf(run.records, 'call_2_1')).toContain(`\n${files + 1}\n`);
  figures(task, `${files} files`);
});
