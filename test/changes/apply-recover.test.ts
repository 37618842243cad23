import { existsSync, linkSync, readFileSync, renameSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { JournalFile } from '../../src/changes/apply/journal.ts';
import { recoverApply } from '../../src/changes/apply/recover.ts';
import { applying } from '../support/applying.ts';
import { END, START } from '../support/change-samples.ts';
import { writeTree } from '../support/change-sets.ts';
import { tempFolder } from '../support/cli.ts';
import { cutApply } from '../support/cut-apply.ts';

const ALL = (steps: number) => ({ staged: steps, made: steps });

describe('an apply that was cut off', () => {
  it('is undone after any number of steps, and can then be made', async () => {
    const { length } = await cutApply(applying(START, END), () => ({ staged: 0, made: 0 }));
    expect(length).toBeGreaterThan(15);
    const writing = Array.from({ length: length + 2 }, (_, step) => length - 1 + step);
    for (const at of [0, 1, ...writing]) {
      const work = applying(START, END);
      const before = work.tree();
      await cutApply(work, (steps) => ({ staged: Math.min(at, steps), made: Math.max(0, at - steps) }));
      expect(await recoverApply(work.runFolder, work.store)).toEqual({ end: 'undone', target: work.root, left: [] });
      expect(work.tree()).toEqual(before);
      expect(await recoverApply(work.runFolder, work.store)).toBeUndefined();
      expect((await work.apply()).conflicts).toEqual([]);
    }
  });

  it('is undone after a content that was written in part', async () => {
    const work = applying({ a: 'old' }, { a: 'a new content' });
    const before = work.tree();
    const [step] = await cutApply(work, () => ({ staged: 1, made: 0 }));
    truncateSync(path.join(work.root, step!.fresh!), 4);
    await recoverApply(work.runFolder, work.store);
    expect(work.tree()).toEqual(before);
  });

  it('is complete when all was read back before the end', async () => {
    const work = applying(START, END);
    await cutApply(work, ALL);
    new JournalFile(work.runFolder).markDone();
    expect(await recoverApply(work.runFolder, work.store)).toMatchObject({ end: 'finished', left: [] });
    const other = applying(START, END);
    await other.apply();
    expect(work.tree()).toEqual(other.tree());
  });

  it('is undone also when the undoing was cut off while a file had both of its names', async () => {
    const work = applying({ a: '1' }, { a: '2' });
    const [step] = await cutApply(work, ALL);
    rmSync(path.join(work.root, 'a'));
    linkSync(path.join(work.root, step!.old!), path.join(work.root, 'a'));
    expect(await recoverApply(work.runFolder, work.store)).toMatchObject({ end: 'undone', left: [] });
    expect(Object.keys(work.tree())).toEqual(['a']);
    expect(readFileSync(path.join(work.root, 'a'), 'utf8')).toBe('1');
  });

  it('waits while its target is away', async () => {
    const work = applying(START, END);
    await cutApply(work, ALL);
    rmSync(work.root, { recursive: true });
    expect(await recoverApply(work.runFolder, work.store)).toMatchObject({ end: 'unreachable' });
    expect(existsSync(path.join(work.runFolder, 'apply.journal'))).toBe(true);
  });

  it('is not forgotten by an apply to another folder', async () => {
    const work = applying({ a: '1' }, { a: '2' });
    await cutApply(work, ALL);
    renameSync(work.root, `${work.root}-moved`);
    const other = writeTree(tempFolder(), { a: '1' });
    await expect(work.apply({ target: Buffer.from(other) })).rejects.toMatchObject({
      exitCode: 6,
      message: expect.stringContaining('an earlier apply'),
    });
    renameSync(`${work.root}-moved`, work.root);
    expect(await recoverApply(work.runFolder, work.store)).toMatchObject({ end: 'undone', left: [] });
    expect(readFileSync(path.join(work.root, 'a'), 'utf8')).toBe('1');
  });

  it('says where the old content is that could not be put back', async () => {
    const work = applying({ 'd/a': 'old' }, {});
    const [step] = (await cutApply(work, ALL)).filter(({ path: name }) => name === 'd/a');
    writeFileSync(path.join(work.root, 'd'), 'mine');
    const { end, left = [] } = (await recoverApply(work.runFolder, work.store)) ?? {};
    expect(end).toBe('unfinished');
    expect(left).toContain(`d/a could not be put back: d is not a folder; what was there before is in ${step!.old}.`);
    expect(readFileSync(path.join(work.root, step!.old!), 'utf8')).toBe('old');
  });

  it('is not guessed from a damaged journal', async () => {
    const work = applying(START, END);
    writeFileSync(path.join(work.runFolder, 'apply.journal'), '{"v":1,"steps":');
    await expect(recoverApply(work.runFolder, work.store)).rejects.toThrow(/journal .* it is not JSON/);
  });
});

describe('an edit between the cut and the recovery', () => {
  const EDIT = 'edited meanwhile\n';

  it('of a file that was not reached yet stays, and all else is as it was', async () => {
    const work = applying({ a: '1', b: '1' }, { a: '2', b: '2' });
    await cutApply(work, (staged) => ({ staged, made: 1 }));
    writeFileSync(path.join(work.root, 'b'), EDIT);
    expect(await recoverApply(work.runFolder, work.store)).toMatchObject({ end: 'undone', left: [] });
    expect(Object.keys(work.tree())).toEqual(['a', 'b']);
    expect(readFileSync(path.join(work.root, 'a'), 'utf8')).toBe('1');
    expect(readFileSync(path.join(work.root, 'b'), 'utf8')).toBe(EDIT);
  });

  it('of a file that was written stays, is named, and what was there before is kept beside it', async () => {
    const work = applying({ a: '1', b: '1' }, { a: '2', b: '2' });
    const [step] = await cutApply(work, ALL);
    writeFileSync(path.join(work.root, 'a'), EDIT);
    const recovered = await recoverApply(work.runFolder, work.store);
    expect(recovered?.left).toEqual([
      `a was changed since, and is left as it is; what was there before is in ${step!.old}.`,
    ]);
    expect(readFileSync(path.join(work.root, 'a'), 'utf8')).toBe(EDIT);
    expect(readFileSync(path.join(work.root, 'b'), 'utf8')).toBe('1');
    expect(readFileSync(path.join(work.root, step!.old!), 'utf8')).toBe('1');
  });

  it('of an added file stays and is named; new files in a new folder too', async () => {
    const work = applying({}, { 'd/n': 'n', m: 'm' });
    await cutApply(work, ALL);
    writeFileSync(path.join(work.root, 'm'), EDIT);
    writeTree(work.root, { 'd/mine': EDIT });
    const recovered = await recoverApply(work.runFolder, work.store);
    expect(recovered?.left.toSorted()).toEqual([
      'd holds files that came since, and stays.',
      'm was changed since, and is left as it is.',
    ]);
    expect(Object.keys(work.tree())).toEqual(['d', 'd/mine', 'm']);
  });

  it('of a file that has both of its names for a moment stays, under its own', async () => {
    const work = applying({}, { a: 'a' });
    const [step] = await cutApply(work, (staged) => ({ staged, made: 0 }));
    linkSync(path.join(work.root, step!.fresh!), path.join(work.root, 'a'));
    writeFileSync(path.join(work.root, 'a'), EDIT);
    expect((await recoverApply(work.runFolder, work.store))?.left).toEqual([
      'a was changed since, and is left as it is.',
    ]);
    expect(Object.keys(work.tree())).toEqual(['a']);
  });

  it('where a file was to be added and was not yet stays', async () => {
    const work = applying({}, { a: 'a', b: 'b' });
    await cutApply(work, (staged) => ({ staged, made: 1 }));
    // The same content: still somebody else's file.
    writeFileSync(path.join(work.root, 'b'), 'b');
    expect(await recoverApply(work.runFolder, work.store)).toMatchObject({ end: 'undone', left: [] });
    expect(Object.keys(work.tree())).toEqual(['b']);
  });

  it('of a file that was removed and made again stays', async () => {
    const work = applying({ a: '1' }, {});
    const [step] = await cutApply(work, ALL);
    writeFileSync(path.join(work.root, 'a'), EDIT);
    expect((await recoverApply(work.runFolder, work.store))?.left).toEqual([
      `a was made again since, and is left as it is; what was there before is in ${step!.old}.`,
    ]);
    expect(readFileSync(path.join(work.root, 'a'), 'utf8')).toBe(EDIT);
  });
});
