import fc from 'fast-check';
import { expect, test } from 'vitest';
import { classifyRisks } from '../../src/changes/risk/classify.ts';
import { countLines, diffLines } from '../../src/changes/risk/line-diff.ts';
import { changedRanges } from '../../src/changes/risk/myers.ts';
import { RISK_RULES } from '../../src/changes/risk/risk-table.ts';
import { showPath } from '../../src/lib/path-bytes.ts';
import { strictParse } from '../../src/lib/strict-parse.ts';
import { Risk } from '../../src/protocol/changes.ts';
import { costOf, file, risksOf } from './risk-support.ts';

const NAMES = RISK_RULES.flatMap((rule) => rule.patterns).map((pattern) =>
  pattern.replace('*', 'x').replace(/\/$/, '/x'),
);

const bytes = fc.uint8Array({ maxLength: 64 }).map((content) => Buffer.from(content));
const text = fc.array(
  fc.constantFrom('{', '"a":', '[', '\n', '"\\', 'https://a', '\u202e', ',', '}', 'a@1:', '"resolved"'),
);
const content = fc.oneof(
  bytes,
  text.map((parts) => Buffer.from(parts.join(''))),
  fc.json().map((json) => Buffer.from(json)),
);
const path = fc.oneof(
  fc.constantFrom(...NAMES).map((name) => Buffer.from(name)),
  bytes.filter((name) => name.length > 0),
);

test('nothing makes it throw, and what it says fits the schema and the new content', () => {
  fc.assert(
    fc.property(path, fc.option(content), fc.option(content), (name, before, after) => {
      if (before === null && after === null) return;
      const edit = { path: name, ...(before && { before }), ...(after && { after }) };
      for (const risk of risksOf(edit)) {
        expect(strictParse(Risk, risk).ok).toBe(true);
        if (risk.lines === undefined) continue;
        expect(risk.lines[0]).toBeLessThanOrEqual(risk.lines[1]);
        expect(risk.lines[1]).toBeLessThanOrEqual(countLines(after ?? Buffer.alloc(0)));
      }
    }),
    { numRuns: 3000 },
  );
});

const lines = fc.array(fc.constantFrom('a\n', 'b\n', 'c\n', '\n', 'x'), { maxLength: 30 });

test('changed places put together with the unchanged rest are the new content', () => {
  fc.assert(
    fc.property(lines, lines, (old, now) => {
      const [before, after] = [Buffer.from(old.join('')), Buffer.from(now.join(''))];
      let rest = after.toString();
      let base = before.toString();
      for (const { line, added, removed } of diffLines(before, after).reverse()) {
        const start = offsetOf(rest, line);
        expect(rest.slice(start, start + added.length)).toBe(added.toString());
        rest = rest.slice(0, start) + removed.toString() + rest.slice(start + added.length);
      }
      base = before.toString();
      expect(rest).toBe(base);
    }),
    { numRuns: 2000 },
  );
});

function offsetOf(text: string, line: number): number {
  return text
    .split('\n')
    .slice(0, line - 1)
    .reduce((sum, part) => sum + part.length + 1, 0);
}

test('an edit script is as short as it can be, and ends when it gets too long', () => {
  const edits = (a: number[], b: number[]) =>
    changedRanges(Int32Array.from(a), Int32Array.from(b))
      ?.map(({ oldFrom, oldTo, newFrom, newTo }) => oldTo - oldFrom + newTo - newFrom)
      .reduce((sum, count) => sum + count, 0);
  expect(edits([1, 2, 3, 1, 2, 2, 1], [3, 2, 1, 2, 1, 3])).toBe(5);
  expect(edits([], [1, 2])).toBe(2);
  expect(edits([1, 2], [])).toBe(2);
  expect(edits([1, 2], [1, 2])).toBe(0);
  const range = (from: number, count: number) => Array.from({ length: count }, (_, index) => from + index);
  expect(edits(range(0, 1000), range(1000, 1000))).toBeUndefined();
});

test('100,000 plain changes cost less than a second', () => {
  const state = file(Buffer.from('x'));
  const plain = Buffer.from('some text\n');
  const contents = { before: () => plain, after: () => plain };
  const paths = Array.from(
    { length: 100_000 },
    (_, index) => `packages/p${index % 100}/src/some/folder/module-${index}.ts`,
  );
  const cost = costOf(() => {
    for (const name of paths) {
      classifyRisks({ path: showPath(Buffer.from(name)), kind: 'modify', before: state, after: state }, contents);
    }
  });
  expect(cost).toBeLessThan(1_000);
});
