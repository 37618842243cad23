import { describe, expect, test } from 'vitest';
import { decide } from '../../src/policy/decide.ts';
import { protectedFiles } from '../../src/policy/protected-files.ts';
import { SHIPPED_PATHS } from '../../src/policy/shipped-paths.ts';
import type { Decision, JudgedCall } from '../../src/protocol/gate.ts';
import type { PathRule, Policy } from '../../src/protocol/policy.ts';
import { callOf, judgeOf, policyWith } from './support.ts';

const ALLOW = { read: 'allow', write: 'allow' } as const;

function paths(rules: PathRule[], more: Partial<Policy['paths']> = {}): Policy {
  return policyWith({ paths: { inside: ALLOW, outside: ALLOW, rules, ...more } });
}
const rule = (parts: Partial<PathRule>): PathRule => ({ id: 'r', verdict: 'deny', reason: 'No.', ...parts });
const on = (policy: Policy, tool: string, args: Record<string, unknown>, more: Partial<JudgedCall> = {}): Decision =>
  decide(policy, callOf(tool, args, more), judgeOf());

describe('a path rule', () => {
  test('holds for names or for folders; either is enough', () => {
    const policy = paths([rule({ names: ['x.txt'], folders: ['secret'] })]);
    expect(on(policy, 'read', { path: 'a/x.txt' }).verdict).toBe('deny');
    expect(on(policy, 'read', { path: 'secret/y' }).verdict).toBe('deny');
    expect(on(policy, 'read', { path: 'a/secret/y' }).verdict).toBe('allow');
  });

  test('without names and folders it holds for every path with its access', () => {
    const policy = paths([rule({ access: ['write'] })]);
    expect(on(policy, 'edit', { path: 'a' }).verdict).toBe('deny');
    expect(on(policy, 'read', { path: 'a' }).verdict).toBe('allow');
  });

  test('for reading also holds for what else shows contents, and not for names', () => {
    const policy = paths([rule({ names: ['x'], access: ['read'] })]);
    for (const tool of ['read', 'grep', 'edit']) expect(on(policy, tool, { path: 'x' }).verdict).toBe('deny');
    for (const tool of ['write', 'find', 'ls']) expect(on(policy, tool, { path: 'x' }).verdict).toBe('allow');
  });

  test('holds for each spelling that read may try, whatever the guard tells', () => {
    const policy = paths([rule({ names: ['it\u2019s', 'Shot 3\u202fPM.png'] })]);
    for (const path of ["it's", 'Shot 3 PM.png']) {
      expect(on(policy, 'read', { path }).verdict).toBe('deny');
      expect(on(policy, 'write', { path }).verdict).toBe('allow');
    }
  });

  test.each([
    ['src', 'src', true],
    ['src/', 'src/a/b', true],
    ['./src', 'src/a', true],
    ['src/**', 'src', true],
    ['src/**/*.gen', 'src/a/b.gen', true],
    ['**', '.', true],
    ['.', 'a', true],
    ['/etc', '../etc/passwd', true],
    ['~/x', '~/x/y', true],
    ['~', '~/y', true],
    ['/', '/any', true],
    ['src', 'srcs', false],
    ['src', '/src', false],
    ['~/x', 'x', false],
    ['/**/src', 'a/src/b', true],
    ['**/src', '/elsewhere/src', false],
  ])('folder %s holds for %s: %s', (folder, path, held) => {
    expect(on(paths([rule({ folders: [folder] })]), 'read', { path }).verdict).toBe(held ? 'deny' : 'allow');
  });

  test('a workspace whose name looks like a glob is taken as it stands', () => {
    const policy = paths([rule({ folders: ['src'] })]);
    expect(on(policy, 'read', { path: 'src/a' }, { workspace: '/w*' }).verdict).toBe('deny');
    expect(on(policy, 'read', { path: '/wx/src/a' }, { workspace: '/w*' }).verdict).toBe('allow');
  });

  test('an exception is exact, and frees only the path that has its name', () => {
    const policy = paths([rule({ names: ['.env*'], except: ['.env.example'] })]);
    const link = { paths: [{ argument: 'path', resolved: '/workspace/.env.example', real: '/workspace/.env' }] };
    expect(on(policy, 'read', { path: '.env.example' }).verdict).toBe('allow');
    expect(on(policy, 'read', { path: '.env.EXAMPLE' }).verdict).toBe('deny');
    expect(on(policy, 'read', { path: '.env.example' }, link).verdict).toBe('deny');
  });

  test('that allows holds for exactly what it names, and does not carry what a link leads to', () => {
    const policy = paths([rule({ verdict: 'allow', names: ['a.txt'] })], { inside: { read: 'deny', write: 'deny' } });
    expect(on(policy, 'read', { path: 'a.txt' }).verdict).toBe('allow');
    expect(on(policy, 'read', { path: 'A.txt' }).verdict).toBe('deny');
    const link = { paths: [{ argument: 'path', resolved: '/workspace/a.txt', real: '/workspace/b.txt' }] };
    expect(on(policy, 'read', { path: 'a.txt' }, link)).toMatchObject({ verdict: 'deny', rule: 'paths.inside.read' });
  });

  test('of several the strictest counts, wherever it stands', () => {
    const all: PathRule[] = [
      rule({ id: 'a', verdict: 'allow', names: ['x'] }),
      rule({ id: 'd', verdict: 'deny', names: ['x'] }),
      rule({ id: 'q', verdict: 'ask', names: ['x'] }),
    ];
    for (const order of [all, [...all].reverse()]) {
      const decision = on(paths(order), 'read', { path: 'x' });
      expect(decision).toMatchObject({ verdict: 'deny', rule: 'd', subject: 'read /workspace/x' });
      expect(decision.matched.map(({ verdict }) => verdict)).toEqual(['deny', 'ask', 'allow']);
    }
  });
});

describe('paths that no rule names', () => {
  const policy = paths([], { inside: ALLOW, outside: { read: 'ask', write: 'deny' } });
  test.each([
    ['read', 'a', 'allow', 'paths.inside.read'],
    ['write', '/workspace/a', 'allow', 'paths.inside.write'],
    ['read', '/etc/passwd', 'ask', 'paths.outside.read'],
    ['ls', '/', 'ask', 'paths.outside.read'],
    ['write', '/workspaces/a', 'deny', 'paths.outside.write'],
    ['edit', '~/a', 'deny', 'paths.outside.write'],
  ])('%s %s: %s by %s', (tool, path, verdict, name) => {
    expect(on(policy, tool, { path })).toMatchObject({ verdict, rule: name });
  });

  test('a link out of the workspace is outside', () => {
    const link = { paths: [{ argument: 'path', resolved: '/workspace/a', real: '/etc/passwd' }] };
    expect(on(policy, 'read', { path: 'a' }, link)).toMatchObject({ verdict: 'ask', subject: 'read /etc/passwd' });
  });

  test('without a path, the folder that is searched is the workspace', () => {
    const closed = paths([], { inside: { read: 'deny', write: 'allow' } });
    for (const tool of ['grep', 'find', 'ls']) {
      for (const args of [{}, { path: '' }, { path: null }]) expect(on(closed, tool, args).verdict).toBe('deny');
    }
  });
});

describe('a search of a folder that holds protected files', () => {
  const policy = paths([...SHIPPED_PATHS]);
  const files = ['src/a.ts', '.env', 'api/.env.test', 'api/b.ts', '.env.example'];
  const known = { protectedFiles: protectedFiles(policy.paths, files, { workspace: '/workspace', home: '/h' }) };

  test('the protected files of the start are found once', () => {
    expect(known.protectedFiles).toEqual(['.env', 'api/.env.test']);
  });

  test.each([
    ['.', undefined, 'ask'],
    ['/', undefined, 'ask'],
    ['api', undefined, 'ask'],
    ['api', '*', 'ask'],
    ['api', '.env*', 'ask'],
    ['.', 'api/**', 'ask'],
    ['.', 'api', 'ask'],
    ['.', '{*.ts,.env}', 'ask'],
    ['.', '[.]env', 'ask'],
    ['.', '!*.ts', 'ask'],
    ['src', undefined, 'allow'],
    ['src', '.env', 'ask'],
    ['.', '*.ts', 'allow'],
    ['.', '*.{ts,js}', 'allow'],
    ['.', 'src/**', 'allow'],
    ['.', '!.env*', 'allow'],
    ['api', '!.env.test', 'allow'],
  ])('grep in %s with the glob %s: %s', (path, glob, verdict) => {
    expect(on(policy, 'grep', { pattern: 'x', path, ...(glob && { glob }) }, known).verdict).toBe(verdict);
  });

  test('what is asked names the files, so that a yes covers no others', () => {
    const all = on(policy, 'grep', { pattern: 'x' }, known);
    const some = on(policy, 'grep', { pattern: 'x', path: 'api' }, known);
    expect(all.subject).toBe('search /workspace/.env, /workspace/api/.env.test');
    expect(some.subject).toBe('search /workspace/api/.env.test');
  });

  test('the reason says how to go on', () => {
    const { reason } = on(policy, 'grep', { pattern: 'x' }, known);
    expect(reason).toMatch(
      /^This search would show \/workspace\/\.env; leave it out by a glob or another folder\. This file/,
    );
  });

  test('names may be listed', () => {
    for (const tool of ['ls', 'find'])
      expect(on(policy, tool, { path: '.', pattern: '*' }, known).verdict).toBe('allow');
  });
});
