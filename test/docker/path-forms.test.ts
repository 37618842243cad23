import { symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { build as bundle } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { readSpellings, resolveToolPath } from '../../src/policy/tool-path.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import { endOf, textOf } from '../support/pi-records.ts';
import { call, type EndedRun, Session } from '../support/session.ts';

const session = new Session();
const AROUND = { workspace: GUEST.workspace, home: GUEST.home };
const DECOMPOSED = 'cafe\u0301.txt';

/** Files that hold their own real path. */
const FILES = [
  'plain.txt',
  'with space.txt',
  'sub/inner.txt',
  'sub/deep/er.txt',
  '@at.txt',
  '~other.txt',
  'it\u2019s.txt',
  'Shot 3\u202fPM.txt',
  DECOMPOSED,
  'file:/odd.txt',
];

/** What a model may write for a file, and the file that pi opens for it. */
const FORMS: readonly (readonly [form: string, file: string])[] = [
  ['plain.txt', 'plain.txt'],
  ['./plain.txt', 'plain.txt'],
  ['sub/../plain.txt', 'plain.txt'],
  ['sub//./inner.txt', 'sub/inner.txt'],
  ['/workspace/plain.txt', 'plain.txt'],
  ['@plain.txt', 'plain.txt'],
  ['@./plain.txt', 'plain.txt'],
  ['@/workspace/plain.txt', 'plain.txt'],
  ['@@at.txt', '@at.txt'],
  ['file:///workspace/plain.txt', 'plain.txt'],
  ['@file:///workspace/plain.txt', 'plain.txt'],
  ['file:///workspace/with%20space.txt', 'with space.txt'],
  ['file://localhost/workspace/%70lain.txt?x#y', 'plain.txt'],
  ['file:/odd.txt', 'file:/odd.txt'],
  ['with space.txt', 'with space.txt'],
  ['with\u00a0space.txt', 'with space.txt'],
  ['with\u202fspace.txt', 'with space.txt'],
  ['with\u3000space.txt', 'with space.txt'],
  ['~other.txt', '~other.txt'],
  ["it's.txt", 'it\u2019s.txt'],
  ['Shot 3 PM.txt', 'Shot 3\u202fPM.txt'],
  ['caf\u00e9.txt', DECOMPOSED],
  ['~/home.txt', '/home/agent/home.txt'],
  ['@~/home.txt', '/home/agent/home.txt'],
  ['../home/agent/home.txt', '/home/agent/home.txt'],
  ['link.txt', 'plain.txt'],
  ['chain.txt', 'plain.txt'],
  ['linked/inner.txt', 'sub/inner.txt'],
  ['linked/up.txt', 'plain.txt'],
  ['linked/../plain.txt', 'plain.txt'],
  ['/proc/self/cwd/link.txt', 'plain.txt'],
];

const LINKS: Readonly<Record<string, string>> = {
  'link.txt': 'plain.txt',
  'chain.txt': './link.txt',
  linked: 'sub',
  'sub/up.txt': '../plain.txt',
  'dangling.txt': 'new/../made.txt',
};
const AT_HOME = 'mkdir new; echo "I am /home/agent/home.txt" > ~/home.txt';

function repository(name: string, files: Readonly<Record<string, string>>, links = LINKS): string {
  const own = Object.fromEntries(FILES.map((file) => [file, `I am ${absolute(file)}\n`]));
  const root = session.repository(name, { ...own, ...files });
  for (const [link, target] of Object.entries(links)) symlinkSync(target, join(root, link));
  return root;
}

const absolute = (file: string): string => (file.startsWith('/home') ? file : `${GUEST.workspace}/${file}`);

describe('the file that pi opens is the one that is judged (M9)', () => {
  interface Told {
    resolved: string;
    real?: string;
  }
  let run: EndedRun;
  let told: Told[][];

  beforeAll(async () => {
    const program = await resolver();
    const root = repository('forms', { 'forms.json': JSON.stringify(FORMS), 'told.mjs': program });
    run = await session.run(root, [
      { tools: [call('bash', { command: AT_HOME })] },
      { tools: [call('bash', { command: `${GUEST.node} told.mjs read forms.json` })] },
      { tools: FORMS.map(([path]) => call('read', { path })) },
      {
        tools: [
          call('write', { path: '@./dangling.txt', content: 'written' }),
          call('edit', { path: '@file:///workspace/sub/up.txt', edits: [{ oldText: 'I am', newText: 'I was' }] }),
          call('grep', { path: '@linked', pattern: 'I am' }),
          call('find', { path: '~', pattern: 'home.txt' }),
          call('ls', { path: 'file:///workspace/linked' }),
          call('ls', { path: '' }),
        ],
      },
      { tools: [call('bash', { command: 'cat made.txt plain.txt' })] },
      { text: 'done' },
    ]);
    told = JSON.parse(textOf(run.records, 'call_2_1')) as Told[][];
  });

  test('every form reaches its file', () => {
    for (const [at, [form, file]] of FORMS.entries()) {
      expect(endOf(run.records, `call_3_${at + 1}`).isError, form).toBe(false);
      expect(textOf(run.records, `call_3_${at + 1}`).trim(), form).toBe(`I am ${absolute(file)}`);
    }
  });

  test('and the guard tells this file, links followed, and no other that exists', () => {
    for (const [at, [form, file]] of FORMS.entries()) {
      const reals = told[at]?.map(({ real }) => real) ?? [];
      expect(reals.at(-1), form).toBe(absolute(file));
      // A spelling that is not there is told as well, before the one that is.
      expect(reals.length, form).toBe(["it's.txt", 'Shot 3 PM.txt', 'caf\u00e9.txt'].includes(form) ? 2 : 1);
    }
  });

  test('and the host comes to the same path by itself, links aside', () => {
    for (const [at, [form]] of FORMS.entries()) {
      const own = resolveToolPath(form, AROUND);
      expect(told[at]?.[0]?.resolved, form).toBe(own);
      for (const { resolved } of told[at] ?? []) expect(readSpellings(own ?? ''), form).toContain(resolved);
    }
  });

  test('the other file tools take the same forms', () => {
    for (let at = 1; at <= 6; at++) expect(endOf(run.records, `call_4_${at}`).isError, `call ${at}`).toBe(false);
    expect(textOf(run.records, 'call_4_3')).toContain('inner.txt:1: I am /workspace/sub/inner.txt');
    expect(textOf(run.records, 'call_4_4')).toContain('home.txt');
    expect(textOf(run.records, 'call_4_5')).toContain('inner.txt');
    expect(textOf(run.records, 'call_4_6')).toContain('plain.txt');
    // Through a link to nothing, and through one in a folder.
    expect(textOf(run.records, 'call_5_1')).toBe('writtenI was /workspace/plain.txt\n');
  });
});

describe('a rule about a file holds in every form of its path (M9)', () => {
  let run: EndedRun;
  beforeAll(async () => {
    const policy = join(session.folder, 'team.yaml');
    const rule = { id: 'not-this-one', verdict: 'deny', reason: 'Nobody reads this file.', names: ['plain.txt'] };
    writeFileSync(policy, JSON.stringify({ version: 1, paths: { rules: [rule] } }));
    const secrets = { 'config/.env': 'KEY=hunter2\n', 'config/my.env.bak': 'KEY=old\n' };
    const root = repository('ruled', secrets, { ...LINKS, settings: 'config/.env' });
    const turns = [
      { tools: [call('bash', { command: AT_HOME })] },
      { tools: FORMS.map(([path]) => call('read', { path })) },
      {
        tools: [
          call('write', { path: 'linked/up.txt', content: 'x' }),
          call('edit', { path: '@link.txt', edits: [{ oldText: 'I am', newText: 'x' }] }),
          call('grep', { path: 'chain.txt', pattern: 'I am' }),
          call('read', { path: 'config/.env' }),
          call('read', { path: 'settings' }),
          call('grep', { pattern: 'KEY', path: 'config' }),
          call('grep', { pattern: 'KEY', path: 'config', glob: '*.bak' }),
          call('read', { path: 'config/my.env.bak' }),
          call('write', { path: '/opt/pi-sandbox/guest/guard.mjs', content: 'x' }),
          call('read', { path: '/proc/self/environ' }),
          call('ls', { path: 'config' }),
          call('bash', { command: 'cd config && cat ".env"' }),
          call('bash', { command: 'cat config/my.env.bak' }),
        ],
      },
      { text: 'done' },
    ];
    run = await session.run(root, turns, { args: ['--policy', policy] });
  });

  const answer = (id: string) => [endOf(run.records, id).isError, textOf(run.records, id)] as const;
  const decision = (id: string) => run.records.find(({ type, ...record }) => type === 'gate' && record['call'] === id);

  test('also where a link leads to it, and no other file is touched by it', () => {
    for (const [at, [form, file]] of FORMS.entries()) {
      const [isError, text] = answer(`call_2_${at + 1}`);
      const denied = file === 'plain.txt';
      expect(isError, form).toBe(denied);
      expect(text.trim(), form).toContain(denied ? 'Nobody reads this file.' : `I am ${absolute(file)}`);
      if (denied) expect(text, form).not.toContain('I am');
    }
  });

  test.each([
    ['write through a linked folder', 1, 'not-this-one'],
    ['edit through a link', 2, 'not-this-one'],
    ['grep through links', 3, 'not-this-one'],
    ['read of .env', 4, 'secret-env-files'],
    ['read of a link to .env', 5, 'secret-env-files'],
    ['grep in the folder that holds .env', 6, 'secret-env-files'],
    ['write to the guard', 9, 'sandbox-own-files'],
    ['read of the variables of pi', 10, 'process-internals'],
    ['a command with .env', 12, 'secret-env-files'],
  ])('%s is denied by the rule that says so', (_what, at, rule) => {
    const [isError, text] = answer(`call_3_${at}`);
    expect(isError).toBe(true);
    expect(text).not.toMatch(/hunter2|I am/);
    expect(decision(`call_3_${at}`)).toMatchObject({ source: 'observed', verdict: 'deny', rule });
  });

  test.each([
    ['grep with a glob that leaves .env out', 7, 'KEY=old'],
    ['read of a look-alike', 8, 'KEY=old'],
    ['listing the folder', 11, '.env'],
    ['a command with a look-alike', 13, 'KEY=old'],
  ])('%s is let be', (_what, at, text) => {
    expect(answer(`call_3_${at}`)).toEqual([false, expect.stringContaining(text)]);
    expect(decision(`call_3_${at}`)).toMatchObject({ verdict: 'allow' });
  });
});

/** A program that prints what the guard tells of the paths in a file, run by pi's own Node in the workspace. */
async function resolver(): Promise<string> {
  const source = `
    import { readFileSync } from 'node:fs';
    import { pathsOfCall } from './resolve-paths.ts';
    const [tool, file] = process.argv.slice(2);
    const forms = JSON.parse(readFileSync(file, 'utf8'));
    console.log(JSON.stringify(forms.map(([path]) => pathsOfCall(tool, { path }, process.cwd()).paths)));
  `;
  const bundled = await bundle({
    stdin: { contents: source, resolveDir: join(import.meta.dirname, '../../images/guest'), loader: 'ts' },
    bundle: true,
    write: false,
    platform: 'node',
    format: 'esm',
  });
  return bundled.outputFiles[0]?.text ?? '';
}
