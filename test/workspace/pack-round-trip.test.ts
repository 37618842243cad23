import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  lstatSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { packSelection } from '../../src/workspace/pack.ts';
import type { Entry, Selection } from '../../src/workspace/selection.ts';
import { select, temporaryFolder } from './support.ts';

const SLASH = Buffer.from('/');
const within = (folder: Buffer, name: Buffer) => Buffer.concat([folder, SLASH, name]);

/** Any bytes that a Linux file name may have; often long, often with line feeds, quotes and broken UTF-8. */
const name = fc
  .oneof(
    { weight: 4, arbitrary: fc.uint8Array({ minLength: 1, maxLength: 12 }) },
    { weight: 1, arbitrary: fc.uint8Array({ minLength: 95, maxLength: 255 }) },
    {
      weight: 1,
      arbitrary: fc
        .constantFrom('-x', '--help', '\\n', "'", '"', '*', ' ', '\n', 'é', '..x', '...')
        .map((text) => Buffer.from(text)),
    },
  )
  .map((bytes) => Buffer.from(bytes.map((byte) => (byte === 0 || byte === 0x2f ? 0x5f : byte))))
  .filter(
    (bytes) => !['.', '..', '.git', '.pi', '.agents', '.gitignore'].includes(bytes.toString('latin1').toLowerCase()),
  );

interface Node {
  readonly name: Buffer;
  readonly mode: number;
  readonly mtime: number;
  readonly content: { file: Uint8Array } | { link: Buffer } | { folder: Node[] };
}

const { node } = fc.letrec<{ node: Node }>((tie) => ({
  node: fc.record({
    name,
    mode: fc.integer({ min: 0, max: 0o777 }).map((mode) => mode | 0o500),
    mtime: fc.integer({ min: 0, max: 4_000_000_000 }),
    content: fc.oneof(
      { depthSize: 'small', withCrossShrink: true },
      fc.record({
        file: fc.oneof(
          fc.uint8Array({ maxLength: 2000 }),
          fc.constantFrom(new Uint8Array(512), new Uint8Array(200_000).fill(7)),
        ),
      }),
      fc.record({
        link: fc.oneof(
          name,
          fc.uint8Array({ minLength: 101, maxLength: 400 }).map((bytes) => Buffer.from(bytes.map((byte) => byte || 1))),
        ),
      }),
      fc.record({ folder: fc.array(tie('node'), { maxLength: 6 }) }),
    ),
  }),
}));

function make(folder: Buffer, nodes: readonly Node[]): void {
  for (const { name: own, mode, mtime, content } of nodes) {
    const path = within(folder, own);
    try {
      lstatSync(path);
      continue;
    } catch {
      // Not there yet.
    }
    if ('link' in content) {
      symlinkSync(content.link, path);
      continue;
    }
    if ('file' in content) {
      writeFileSync(path, content.file);
    } else {
      mkdirSync(path, { mode: 0o700 });
      make(path, content.folder);
    }
    chmodSync(path, mode | ('folder' in content ? 0o700 : 0o400));
    utimesSync(path, mtime, mtime);
  }
}

/** Everything that the archive promises to keep, by path. */
function describe(folder: Buffer, prefix = ''): Record<string, unknown> {
  const found: Record<string, unknown> = {};
  for (const own of readdirSync(folder, { encoding: 'buffer' })) {
    const path = within(folder, own);
    const stat = lstatSync(path);
    const key = prefix + own.toString('latin1');
    if (stat.isSymbolicLink()) found[key] = { link: readlinkSync(path, { encoding: 'latin1' }) };
    else if (stat.isDirectory()) {
      found[key] = { folder: stat.mode & 0o777, mtime: Math.floor(stat.mtimeMs / 1000) };
      Object.assign(found, describe(path, `${key}/`));
    } else
      found[key] = {
        file: readFileSync(path, 'latin1'),
        mode: stat.mode & 0o777,
        mtime: Math.floor(stat.mtimeMs / 1000),
      };
  }
  return found;
}

async function archiveOf(selection: Selection): Promise<Buffer> {
  const chunks: Buffer[] = [];
  const sink = new Writable({
    write(chunk: Buffer, _encoding, done) {
      chunks.push(chunk);
      done();
    },
  });
  await packSelection(selection, sink, { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 });
  return Buffer.concat(chunks);
}

test('GNU tar gets back every byte of random trees: names, modes, times, links, content (D45)', {
  timeout: 120_000,
}, async () => {
  const base = temporaryFolder();
  await fc.assert(
    // Few large trees: the time goes into processes and folders, and each entry is as good in company.
    fc.asyncProperty(fc.array(node, { maxLength: 30, size: 'max' }), async (nodes) => {
      const root = mkdtempSync(join(base, 'in-'));
      const out = mkdtempSync(join(base, 'out-'));
      make(Buffer.from(root), nodes);
      const selection = await select(root, { env: { gitPath: '/nonexistent/git' }, scratchRoot: base });
      execFileSync('tar', ['-xp', '--warning=no-timestamp', '-C', out], {
        input: await archiveOf(selection),
        env: { PATH: process.env['PATH'], LC_ALL: 'C' },
      });
      expect(describe(Buffer.from(out))).toEqual(describe(Buffer.from(root)));
    }),
    { numRuns: 50 },
  );
});

test('entries keep their type: only files, folders and links are ever selected', async () => {
  const root = temporaryFolder();
  make(Buffer.from(root), fc.sample(node, { numRuns: 30, seed: 7 }));
  const types = new Set((await select(root)).entries.map(({ type }: Entry) => type));
  expect([...types].sort()).toEqual(['dir', 'file', 'symlink']);
});
