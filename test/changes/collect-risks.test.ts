import { expect, test } from 'vitest';
import { collect, file, link, treeOf } from './collect-support.ts';

test('a change set tells what was planted to run on the host later, and nothing of plain work (D61, EX10)', async () => {
  const start = {
    'README.md': file('old\n'),
    'run.sh': file('#!/bin/sh\n'),
    'package.json': file('{\n  "version": "1.0.0",\n  "scripts": {}\n}\n'),
    '.husky/pre-push': file('npm test\n', 0o755),
  };
  const end = {
    'README.md': file('new\n'),
    'run.sh': file('#!/bin/sh\n', 0o755),
    'package.json': file('{\n  "version": "1.0.1",\n  "scripts": {\n    "postinstall": "x"\n  }\n}\n'),
    data: link('README.md'),
    '.github/workflows/x.yml': file('on: push\n'),
    '.vscode/tasks.json': file('{}\n'),
    '.envrc': file('x\n'),
    '.gitattributes': file('* -diff\n'),
    'src/a.ts': file('a\n// \u202eb\n'),
    'src/b.ts': file('plain\n'),
  };
  const { set } = await collect(treeOf(start), treeOf(end));
  const told = set.changes.flatMap(({ path, risks }) =>
    risks.map(({ class: name, what, lines }) => `${path}  ${name}: ${what}${lines ? ` @${lines.join('-')}` : ''}`),
  );
  expect(told).toEqual([
    '.envrc  shell-start-up: start-up file, new @1-1',
    '.gitattributes  gitattributes: git configuration, new @1-1',
    '.github/workflows/x.yml  ci: CI configuration, new @1-1',
    '.husky/pre-push  hooks: git hook, removed',
    '.vscode/tasks.json  editor-task: editor configuration, new @1-1',
    'data  symlink: to README.md',
    'package.json  package-script: scripts.postinstall @4-4',
    'run.sh  executable-bit: made executable',
    'src/a.ts  hidden-unicode: U+202E in line 2 @2-2',
  ]);
});

test('a file that a program reads through a link is judged by the name of the link too', async () => {
  const start = {
    'docs/agents.txt': file('old\n'),
    'CLAUDE.md': link('docs/agents.txt'),
    'tools/on-push/run': file('old\n', 0o755),
    '.husky': link('./tools/x/../on-push'),
    'tools/x/y': file(''),
    outside: link('/etc'),
    plain: link('docs'),
  };
  const end = {
    ...start,
    'docs/agents.txt': file('new\n'),
    'docs/other.txt': file('new\n'),
    'tools/on-push/run': file('new\n', 0o755),
    'tools/on-push/more': file('new\n'),
  };
  const { set } = await collect(treeOf(start), treeOf(end));
  expect(
    set.changes.map(({ path, risks }) => [path, ...risks.map(({ class: name, what }) => `${name}: ${what}`)]),
  ).toEqual([
    ['docs/agents.txt', 'agent-config: agent configuration, through the link CLAUDE.md'],
    ['docs/other.txt'],
    ['tools/on-push/more', 'hooks: git hook, new, through the link .husky/more'],
    ['tools/on-push/run', 'hooks: git hook, through the link .husky/run'],
  ]);
});

test('a file that is read through several links is judged by the name that they make together', async () => {
  const start = { 'w/x.yml': file('old\n'), 'a/workflows': link('../w'), '.github': link('a'), loop: link('.') };
  const { set } = await collect(treeOf(start), treeOf({ ...start, 'w/x.yml': file('new\n') }));
  expect(
    set.changes.map(({ path, risks }) => [path, ...risks.map(({ class: name, what }) => `${name}: ${what}`)]),
  ).toEqual([['w/x.yml', 'ci: CI configuration, through the link .github/workflows/x.yml']]);
});

test('new links do not hide those that were there', async () => {
  const start = { 'a.txt': file('1'), 'z/CLAUDE.md': link('../a.txt') };
  const many = Object.fromEntries(Array.from({ length: 40 }, (_, at) => [`l${at}`, link('a.txt')]));
  const { set } = await collect(treeOf(start), treeOf({ ...start, ...many, 'a.txt': file('2') }));
  expect(set.changes.find(({ path }) => path === 'a.txt')?.risks).toMatchObject([{ class: 'agent-config' }]);
});
