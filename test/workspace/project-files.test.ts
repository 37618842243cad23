import { execFileSync } from 'node:child_process';
import { mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { commitAll, newRepository, paths, select, write } from './support.ts';

describe('instructions at the root', () => {
  test('are listed in the order in which pi looks, whichever enter', async () => {
    const root = newRepository({ 'CLAUDE.md': 'c', 'AGENTS.md': '12345', 'AGENTS.MD': '', 'docs/AGENTS.md': 'other' });
    write(root, { '.gitignore': 'AGENTS.override.md\n', 'AGENTS.override.md': '123' });
    const { contextFiles } = await select(root);
    expect(contextFiles.map(({ path, bytes, enters }) => [path, bytes, enters])).toEqual([
      ['AGENTS.override.md', 3, false],
      ['AGENTS.md', 5, true],
      ['AGENTS.MD', 0, true],
      ['CLAUDE.md', 1, true],
    ]);
  });

  test('in another case stand behind those that pi would find by their names', async () => {
    const root = newRepository({
      'agents.md': 'a',
      'AGENTS.md': 'b',
      'Agents.Override.md': 'c',
      'agents-guide.md': '',
    });
    const { contextFiles } = await select(root);
    expect(contextFiles.map(({ path, isExact }) => [path, isExact])).toEqual([
      ['Agents.Override.md', false],
      ['AGENTS.md', true],
      ['agents.md', false],
    ]);
  });

  test('that are links are said to be links, wherever they lead; folders and pipes are none (M15)', async () => {
    const root = newRepository({ 'docs/a.md': '12345' });
    symlinkSync('/etc/passwd', join(root, 'AGENTS.md'));
    symlinkSync('docs/a.md', join(root, 'CLAUDE.md'));
    mkdirSync(join(root, 'CLAUDE.MD'));
    execFileSync('mkfifo', [join(root, 'AGENTS.override.md')]);
    const { contextFiles } = await select(root);
    expect(contextFiles.map(({ path, bytes, isLink }) => [path, bytes, isLink])).toEqual([
      ['AGENTS.md', 0, true],
      ['CLAUDE.md', 0, true],
    ]);
  });
});

describe('.pi and .agents at the root', () => {
  const FILES = { '.pi/extensions/x.ts': '', '.agents/skills/s.md': '', 'a/.pi/inner': '', 'a/.agents/inner': '' };

  test('never enter without trust, whatever --include says; what bears their names deeper is a file like others (D12, M14)', async () => {
    const root = newRepository(FILES);
    commitAll(root);
    const selection = await select(root, { include: ['.pi', '.agents', '.pi/**'] });
    expect(paths(selection, ['file'])).toEqual(['a/.agents/inner', 'a/.pi/inner']);
    expect(selection.leftOut.counts['project-files']).toBe(2);
    expect(selection.leftOut.list).toContainEqual({ path: '.pi/', reason: 'project-files' });
    expect(selection.piFolders).toEqual([
      { name: '.agents', kind: 'folder', holds: ['.agents/skills/s.md'], holdsMore: false, enters: false },
      { name: '.pi', kind: 'folder', holds: ['.pi/extensions/x.ts'], holdsMore: false, enters: false },
    ]);
  });

  test('stay out in any case and of any type: links, files, pipes (M15)', async () => {
    const root = newRepository({ '.PI/settings.json': '{}', '.Agents/skills/s.md': '', 'kept.txt': '' });
    symlinkSync('/etc', join(root, '.pi'));
    execFileSync('mkfifo', [join(root, '.agents')]);
    const selection = await select(root);
    expect(paths(selection)).toEqual(['kept.txt']);
    expect(selection.piFolders.map(({ name, kind }) => [name, kind])).toEqual([
      ['.Agents', 'folder'],
      ['.PI', 'folder'],
      ['.agents', 'other'],
      ['.pi', 'link'],
    ]);
  });

  test('are all known where more spellings exist than a report names', async () => {
    const spellings = Array.from({ length: 64 }, (_, bits) =>
      [...'agents'].map((letter, at) => ((bits >> at) & 1 ? letter : letter.toUpperCase())).join(''),
    );
    const root = newRepository(
      Object.fromEntries([...spellings, 'pi'].map((name) => [`.${name}/settings.json`, '{}'])),
    );
    const selection = await select(root);
    expect(selection.entries).toEqual([]);
    expect(selection.leftOut.list.map(({ path }) => path)).not.toContain('.pi/');
    expect(selection.piFolders.filter(({ kind }) => kind === 'folder').map(({ name }) => name)).toEqual(
      expect.arrayContaining(['.pi', '.agents', '.AGENTS']),
    );
    expect(selection.piFolders).toHaveLength(65);
  });

  test('are known by the first of what they hold, links not followed and names escaped', async () => {
    const many = Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`.agents/skills/s${n}/SKILL.md`, '']));
    const root = newRepository({ ...many, '.pi/extensions/a\u001b.ts': '', '.pi/SYSTEM.md': '' });
    symlinkSync('/etc', join(root, '.pi/themes'));
    const [agents, pi] = (await select(root)).piFolders;
    expect(agents?.holds).toHaveLength(8);
    expect(agents).toMatchObject({ holdsMore: true });
    expect(agents?.holds[0]).toBe('.agents/skills/s0/');
    expect(pi?.holds).toEqual(['.pi/SYSTEM.md', expect.stringMatching(/^\.pi\/extensions\/a\\/), '.pi/themes']);
  });

  test('enter a trusted project as they are, unless git ignores them', async () => {
    const root = newRepository({ ...FILES, '.gitignore': '.agents\n' });
    symlinkSync('/etc/passwd', join(root, '.pi/link'));
    const selection = await select(root, { trustProject: true });
    expect(paths(selection)).toEqual(expect.arrayContaining(['.pi/', '.pi/extensions/x.ts', '.pi/link']));
    expect(selection.piFolders.map(({ name, enters }) => [name, enters])).toEqual([
      ['.agents', false],
      ['.pi', true],
    ]);
    const included = await select(root, { trustProject: true, include: ['.agents'] });
    expect(included.piFolders.map(({ enters }) => enters)).toEqual([true, true]);
  });
});
