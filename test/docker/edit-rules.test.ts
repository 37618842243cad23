import { execFileSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type HandedBack, handedBack } from '../support/handed-back.ts';
import { endOf, textOf } from '../support/pi-records.ts';
import { call, type EndedRun, Session } from '../support/session.ts';

const session = new Session();

/** Lines that a careless editor would tidy up, around the one that is edited. */
const FUZZY = 'say \u201chello\u201d\nnon\u00a0breaking \u2014 dash  \ntab\t \nsay \u201cgoodbye\u201d\n';
const DOS = '\ufeffone\r\ntwo\r\nthree\r\n';

const edit = (file: string, ...edits: readonly [oldText: string, newText: string][]) =>
  call('edit', { path: file, edits: edits.map(([oldText, newText]) => ({ oldText, newText })) });

describe('pi edits exactly what it was asked to, and the change set shows it (M5)', () => {
  let run: EndedRun;
  let back: HandedBack;
  beforeAll(async () => {
    const root = session.repository('edits', {
      'fuzzy.txt': FUZZY,
      'dos.txt': DOS,
      'twice.txt': 'same\nsame\n',
      'lines.txt': 'one\ntwo\nthree\nfour\n',
      'swap.txt': 'left right\n',
    });
    run = await session.run(root, [
      { tools: [edit('fuzzy.txt', ['say "hello"', 'say "hi"'])] },
      { tools: [edit('dos.txt', ['two\n', 'TWO\n'])] },
      { tools: [edit('twice.txt', ['same', 'other'])] },
      { tools: [edit('lines.txt', ['two\nthree', 'x'], ['three\nfour', 'y'])] },
      { tools: [edit('lines.txt', ['absent', 'x'])] },
      { tools: [edit('swap.txt', ['left', 'right'], [' right', ' left'])] },
      { text: 'done' },
    ]);
    back = handedBack(session, run);
  });

  test('a match that is only near rewrites no other line (D20)', () => {
    expect(endOf(run.records, 'call_1_1').isError).toBe(false);
    expect(back.after('fuzzy.txt').toString()).toBe(FUZZY.replace('say \u201chello\u201d', 'say "hi"'));
  });

  test('CRLF and a byte order mark stay (D21)', () => {
    expect(endOf(run.records, 'call_2_1').isError).toBe(false);
    expect(back.after('dos.txt').toString()).toBe(DOS.replace('two', 'TWO'));
  });

  test('the patch has one place for each, and fits the files on the host (D20, D21)', async () => {
    const id = run.records[0]?.run ?? '';
    for (const [name, before] of [
      ['fuzzy.txt', FUZZY],
      ['dos.txt', DOS],
    ] as const) {
      const patch = (await session.cli(['diff', id, '--patch', name])).stdout;
      expect(patch.toString('latin1').match(/^@@ /gm)).toHaveLength(1);
      const folder = mkdtempSync(path.join(session.folder, 'patched-'));
      writeFileSync(path.join(folder, name), before);
      execFileSync('git', ['apply', '-'], { cwd: folder, input: patch });
      expect(readFileSync(path.join(folder, name))).toEqual(back.after(name));
    }
  });

  test.each([
    ['found twice', 'call_3_1', /2 occurrences|unique/i],
    ['overlapping', 'call_4_1', /overlap/i],
    ['not found', 'call_5_1', /not find|not found/i],
  ])('an old text that is %s changes nothing', (_what, id, words) => {
    expect(endOf(run.records, id).isError).toBe(true);
    expect(textOf(run.records, id)).toMatch(words);
  });

  test('several edits are matched against the original, not against each other', () => {
    expect(back.after('swap.txt').toString()).toBe('right left\n');
    expect(back.list).toEqual(['modify dos.txt', 'modify fuzzy.txt', 'modify swap.txt']);
  });
});
