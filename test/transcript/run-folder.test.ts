import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { Type } from '@sinclair/typebox';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newRunId, RunFolder, stateRoot } from '../../src/transcript/run-folder.ts';
import { freshStateRoot, RUN, temporaryFolder } from './support.ts';

const isRoot = process.geteuid?.() === 0;
const modeOf = (path: string) => lstatSync(path).mode & 0o7777;
const Shape = Type.Object({ a: Type.Number() });

function withUmask(mask: number): void {
  const before = process.umask(mask);
  onTestFinished(() => void process.umask(before));
}

function makeWithMode(path: string, mode: number): void {
  mkdirSync(path);
  chmodSync(path, mode);
}

describe('stateRoot', () => {
  it('is below XDG_STATE_HOME, else below HOME', () => {
    expect(stateRoot({ XDG_STATE_HOME: '/s', HOME: '/h' })).toBe('/s/pi-sandbox');
    expect(stateRoot({ HOME: '/h' })).toBe('/h/.local/state/pi-sandbox');
    expect(stateRoot({ XDG_STATE_HOME: 'relative', HOME: '/h' })).toBe('/h/.local/state/pi-sandbox');
  });

  it('says what to set when there is neither', () => {
    expect(() => stateRoot({})).toThrow(
      expect.objectContaining({ code: 'state', hint: expect.stringContaining('XDG_STATE_HOME') }),
    );
  });
});

describe('newRunId', () => {
  it('sorts by time and cannot be mistaken', () => {
    expect(newRunId(new Date('2026-11-30T02:16:10.987Z'), Buffer.from('3f9a2cff', 'hex'))).toBe(RUN);
    expect(RUN < newRunId(new Date('2026-11-30T02:16:11Z'), Buffer.from('000000', 'hex'))).toBe(true);
  });
});

describe('RunFolder', () => {
  it.each([0o000, 0o022, 0o777])('makes folders 0700 and files 0600 under umask %o (D65, D82)', (mask) => {
    const root = freshStateRoot();
    withUmask(mask);
    const folder = RunFolder.create(root, RUN);
    folder.writeJson('outcome.json', { a: 1 });
    for (const path of [root, join(root, 'runs'), folder.folder, folder.subfolder('outputs')])
      expect(modeOf(path)).toBe(0o700);
    expect(modeOf(folder.path('outcome.json'))).toBe(0o600);
    expect(lstatSync(folder.path('outcome.json')).uid).toBe(process.geteuid?.());
  });

  it('never gives two runs one folder (D79)', () => {
    const root = freshStateRoot();
    RunFolder.create(root, RUN);
    expect(() => RunFolder.create(root, RUN)).toThrow(
      expect.objectContaining({ code: 'state', message: expect.stringContaining('already') }),
    );
  });

  it.each<[string, (root: string) => void, RegExp]>([
    ['a link', (root) => symlinkSync(temporaryFolder(), root), /symbolic link/],
    ['a dangling link', (root) => symlinkSync('/nonexistent/x', root), /symbolic link/],
    ['a file', (root) => writeFileSync(root, ''), /not a folder/],
    ['open to its group', (root) => makeWithMode(root, 0o770), /others may write to it \(mode 770\)/],
    ['open to all', (root) => makeWithMode(root, 0o1777), /others may write/],
  ])('refuses a state root that is %s, naming it', (_, prepare, why) => {
    const root = freshStateRoot();
    prepare(root);
    const refusal = expect.objectContaining({
      code: 'state',
      exitCode: 5,
      message: expect.stringMatching(why),
      hint: expect.any(String),
    });
    expect(() => RunFolder.create(root, RUN)).toThrow(refusal);
    expect(() => RunFolder.create(root, RUN)).toThrow(root);
    expect(lstatSync(root).isDirectory() && readdirSync(root).length > 0).toBe(false);
  });

  it.skipIf(!isRoot)('refuses a state root of somebody else (needs root to give one away)', () => {
    const root = freshStateRoot();
    mkdirSync(root, 0o700);
    chownSync(root, 12_345, 12_345);
    expect(() => RunFolder.create(root, RUN)).toThrow(/belongs to user id 12345, not to you/);
  });

  it('refuses a link in the place of the runs folder or of the run', () => {
    const root = freshStateRoot();
    mkdirSync(root, 0o700);
    symlinkSync(temporaryFolder(), join(root, 'runs'));
    expect(() => RunFolder.create(root, RUN)).toThrow(/runs cannot be used: it is a symbolic link/);
    const other = freshStateRoot();
    mkdirSync(join(other, 'runs'), { recursive: true, mode: 0o700 });
    symlinkSync(temporaryFolder(), join(other, 'runs', RUN));
    expect(() => RunFolder.open(other, RUN)).toThrow(/symbolic link/);
    expect(() => RunFolder.create(other, RUN)).toThrow(/already/);
  });

  it('allows a link above the state root, which is the user’s own choice', () => {
    const link = join(temporaryFolder(), 'state');
    symlinkSync(temporaryFolder(), link);
    expect(existsSync(RunFolder.create(join(link, 'pi-sandbox'), RUN).folder)).toBe(true);
  });

  it('refuses a path that is too long for the control socket before anything is made', () => {
    const base = temporaryFolder();
    const root = join(base, 'x'.repeat(80), 'pi-sandbox');
    expect(() => RunFolder.create(root, RUN)).toThrow(
      expect.objectContaining({ code: 'state', hint: expect.stringContaining('shorter') }),
    );
    expect(readdirSync(base)).toEqual([]);
  });

  it.each(['../x', 'a/b', '', '..', '.', 'a\0b'])('has no path for the name %j', (name) => {
    const folder = RunFolder.create(freshStateRoot(), RUN);
    expect(() => folder.path(name)).toThrow(/not a file name/);
  });

  it('takes ids of runs only', () => {
    expect(() => RunFolder.open(freshStateRoot(), '../../etc')).toThrow(expect.objectContaining({ code: 'usage' }));
  });
});

describe('JSON files', () => {
  it('come back as written, and as undefined where there is none', () => {
    const folder = RunFolder.create(freshStateRoot(), RUN);
    folder.writeJson('x.json', { a: 1 });
    folder.writeJson('x.json', { a: 2 });
    expect(folder.readJson('x.json', Shape)).toEqual({ a: 2 });
    expect(folder.readJson('y.json', Shape)).toBeUndefined();
    expect(readdirSync(folder.folder)).toEqual(['x.json']);
  });

  it('keep the old value when the new one cannot be written', () => {
    const folder = RunFolder.create(freshStateRoot(), RUN);
    folder.writeJson('x.json', { a: 1 });
    mkdirSync(`${folder.path('x.json')}.${process.pid}.tmp`);
    expect(() => folder.writeJson('x.json', { a: 2 })).toThrow(expect.objectContaining({ code: 'state' }));
    expect(readFileSync(folder.path('x.json'), 'utf8')).toContain('"a": 1');
  });

  it.each([
    ['half a file', '{"a":', /x\.json is damaged/],
    ['another shape', '{"a":"1"}', /x\.json is damaged: Expected number at "\/a"/],
  ])('name the file when they hold %s', (_, text, why) => {
    const folder = RunFolder.create(freshStateRoot(), RUN);
    writeFileSync(folder.path('x.json'), text);
    expect(() => folder.readJson('x.json', Shape)).toThrow(why);
  });

  it('are never read or written through a link', () => {
    const folder = RunFolder.create(freshStateRoot(), RUN);
    const target = join(temporaryFolder(), 'target');
    writeFileSync(target, '{"a":1}');
    symlinkSync(target, folder.path('x.json'));
    expect(() => folder.readJson('x.json', Shape)).toThrow(/ELOOP/);
    folder.writeJson('x.json', { a: 2 });
    expect(readFileSync(target, 'utf8')).toBe('{"a":1}');
  });
});
