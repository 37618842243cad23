import {
  chmodSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { TargetTree } from '../../src/changes/apply/tree.ts';
import { SandboxError } from '../../src/errors.ts';
import { applying } from '../support/applying.ts';
import { END, START } from '../support/change-samples.ts';
import { tempFolder } from '../support/cli.ts';

describe('while it is applied', () => {
  it('an edit right before its file is replaced stays, and the rest is taken back', async () => {
    const { apply, root, tree, runFolder } = applying(START, END);
    const before = tree();
    const beforeStep = (name: string): void => {
      if (name === 'link-to-file') writeFileSync(path.join(root, 'a.txt'), 'mine');
    };
    const names: string[] = [];
    const failure = await apply({
      beforeStep: (name) => {
        names.push(name);
        if (name === 'a.txt') beforeStep('link-to-file');
      },
    }).catch((error: unknown) => error);
    expect(failure).toBeInstanceOf(SandboxError);
    expect(failure).toMatchObject({
      exitCode: 6,
      message: expect.stringMatching(/a\.txt .*it was changed\. Everything is as it was before\./),
    });
    expect(names.length).toBeGreaterThan(8);
    expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe('mine');
    const { 'a.txt': mine, ...rest } = tree();
    const { 'a.txt': _, ...start } = before;
    expect(mine).toBeDefined();
    expect(rest).toEqual(start);
    expect(existsSync(path.join(runFolder, 'apply.journal'))).toBe(false);
  });

  it('a file that appears where one is added stays', async () => {
    const { apply, root, tree } = applying({ a: '1' }, { a: '2', n: 'new' });
    const beforeStep = (name: string): void => {
      if (name === 'n') writeFileSync(path.join(root, 'n'), 'mine');
    };
    await expect(apply({ beforeStep })).rejects.toThrow(/something else appeared there/);
    expect(readFileSync(path.join(root, 'n'), 'utf8')).toBe('mine');
    expect(readFileSync(path.join(root, 'a'), 'utf8')).toBe('1');
    expect(Object.keys(tree())).toEqual(['a', 'n']);
  });

  it('a folder that becomes a link is not followed, and nothing lands behind it (EX2)', async () => {
    const outside = tempFolder();
    const { apply, root } = applying({ 'd/a': '1', 'd/b': '1' }, { 'd/a': '2', 'd/b': '2', 'd/n': 'n' });
    writeFileSync(path.join(outside, 'a'), '1');
    writeFileSync(path.join(outside, 'b'), '1');
    const beforeStep = (name: string): void => {
      if (name !== 'd/b') return;
      renameSync(path.join(root, 'd'), path.join(root, 'moved'));
      symlinkSync(outside, path.join(root, 'd'));
    };
    await expect(apply({ beforeStep })).rejects.toThrow(/d is a symbolic link/);
    expect(readFileSync(path.join(outside, 'a'), 'utf8')).toBe('1');
    expect(existsSync(path.join(outside, 'n'))).toBe(false);
  });

  it.each<[string, (root: string) => void]>([
    ['is edited', (root) => writeFileSync(path.join(root, 'a'), 'mine')],
    ['loses its executable bit', (root) => chmodSync(path.join(root, 'a'), 0o644)],
    [
      'becomes a link',
      (root) => {
        rmSync(path.join(root, 'a'));
        symlinkSync('b', path.join(root, 'a'));
      },
    ],
  ])(
    'what was written and then %s is found when all is read back, and nothing counts as applied',
    async (_, disturb) => {
      const { apply, root, tree } = applying({ a: '1', b: '1' }, { a: { run: '2' }, b: '2' });
      const before = tree();
      const failure = await apply({ beforeStep: (name) => name === 'b' && disturb(root) }).catch(
        (error: unknown) => error,
      );
      expect(failure).toMatchObject({ exitCode: 6, message: expect.stringContaining('a was not as it was written') });
      expect(tree()['b']).toEqual(before['b']);
      // The control: undisturbed it is applied.
      const other = applying({ a: '1', b: '1' }, { a: { run: '2' }, b: '2' });
      expect(await other.apply({ beforeStep: () => {} })).toMatchObject({ written: ['a', 'b'] });
    },
  );

  it('an interruption takes everything back', async () => {
    const { apply, tree } = applying(START, END);
    const before = tree();
    let left = 50;
    const pause = async (): Promise<void> => {
      if (left-- === 0) throw new SandboxError('usage', 'Interrupted.', { exitCode: 130 });
    };
    await expect(apply({ pause })).rejects.toMatchObject({
      exitCode: 130,
      message: 'Interrupted. Everything is as it was before.',
    });
    expect(tree()).toEqual(before);
  });
});

describe('a walk to a folder of the target', () => {
  it.each([true, false])('never goes through a link, another file or out (pinned: %s) (EX13)', (pinned) => {
    const root = tempFolder();
    mkdirSync(path.join(root, 'real/deep'), { recursive: true });
    writeFileSync(path.join(root, 'file'), '');
    symlinkSync('real', path.join(root, 'link'));
    symlinkSync('/', path.join(root, 'real/out'));
    using tree = TargetTree.open(Buffer.from(root), { pinned });
    const at = (folder: string): string =>
      tree.within(Buffer.from(folder), (place) => place(Buffer.from('x')).toString());
    const reached = at('real/deep');
    expect(reached).toMatch(pinned ? /^\/proc\/self\/fd\/\d+\/x$/ : /\/real\/deep\/x$/);
    expect(() => at('link')).toThrow('is a symbolic link');
    expect(() => at('link/deep')).toThrow('is a symbolic link');
    expect(() => at('real/out/etc')).toThrow('is a symbolic link');
    expect(() => at('file')).toThrow('is not a folder');
    expect(() => at('none')).toThrow('does not exist');
  });

  it.runIf(existsSync('/proc/self/fd'))(
    'ends in the folder it walked to, also when another takes its place meanwhile',
    () => {
      const [root, outside] = [tempFolder(), tempFolder()];
      mkdirSync(path.join(root, 'd'));
      using tree = TargetTree.open(Buffer.from(root));
      tree.within(Buffer.from('d'), (at) => {
        renameSync(path.join(root, 'd'), path.join(root, 'moved'));
        symlinkSync(outside, path.join(root, 'd'));
        writeFileSync(at(Buffer.from('x')), 'x');
      });
      expect(existsSync(path.join(root, 'moved/x'))).toBe(true);
      expect(existsSync(path.join(outside, 'x'))).toBe(false);
      rmSync(path.join(root, 'd'));
    },
  );
});
