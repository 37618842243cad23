import { describe, expect, test } from 'vitest';
import { decide } from '../../src/policy/decide.ts';
import { effectivePolicy } from '../../src/policy/effective.ts';
import { SHIPPED_PATHS } from '../../src/policy/shipped-paths.ts';
import type { Decision } from '../../src/protocol/gate.ts';
import { BORNE, FREE, type PathRow, STOPPED } from './path-table.ts';
import { callOf, judgeOf } from './support.ts';

const policy = effectivePolicy({}, []);

function decisionOn({ tool, path, real }: PathRow): Decision {
  const paths = real === undefined ? [] : [{ argument: 'path', resolved: `/workspace/${path}`, real }];
  return decide(policy, callOf(tool, { path, pattern: 'x' }, { paths }), judgeOf());
}

describe('the shipped path rules', () => {
  test('the table is large enough, and no row is there twice', () => {
    expect(STOPPED.length).toBeGreaterThanOrEqual(60);
    expect(FREE.length).toBeGreaterThanOrEqual(60);
    const rows = [...STOPPED, ...FREE, ...BORNE].map((row) => `${row.tool} ${row.path} ${row.real}`);
    expect(new Set(rows).size).toBe(rows.length);
    expect(BORNE.length).toBeLessThanOrEqual(2);
  });

  test.each(STOPPED)('stop $tool of $path ($real) by $rule (M9)', (row) => {
    const decision = decisionOn(row);
    expect(decision.verdict).toMatch(/^(ask|deny)$/);
    expect(decision.rule).toBe(row.rule);
  });

  test.each(FREE)('let $tool of $path ($real) be (M9)', (row) => {
    expect(decisionOn(row)).toMatchObject({ verdict: 'allow' });
  });

  test.each(BORNE)('stop $tool of $path, which is borne', (row) => {
    expect(decisionOn(row)).toMatchObject({ verdict: 'ask', rule: row.rule });
  });

  test('each has a reason of one sentence, and an id of its own', () => {
    expect(new Set(SHIPPED_PATHS.map(({ id }) => id)).size).toBe(SHIPPED_PATHS.length);
    for (const { reason } of SHIPPED_PATHS) expect(reason).toMatch(/^[A-Z][^\n]{20,200}\.$/);
  });
});
