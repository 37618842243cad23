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
