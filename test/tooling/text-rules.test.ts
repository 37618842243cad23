import { expect, test } from 'vitest';
import { RULES, violations } from '../../scripts/text-rules.ts';

/** One file that breaks each rule, and its twin that does not. */
const cases: readonly { rule: string; path: string; bad: string; good: string; goodPath?: string }[] = [
  { rule: 'lock-files', path: 'images/pi/package-lock.json', bad: '{\n"resolved": "x"}', good: '{"integrity": "x"}' },
  { rule: 'file-length', path: 'src/lib/a.ts', bad: 'x\n'.repeat(301), good: 'x\n'.repeat(300) },
  { rule: 'file-length', path: 'scripts/setup', bad: 'x\n'.repeat(301), good: 'x\n'.repeat(300) },
  { rule: 'environment', path: 'src/gateway/a.ts', bad: 'const a = process.env.HOME;', good: 'const a = env.HOME;' },
  { rule: 'environment', path: 'src/gateway/a.ts', bad: "process['env']", good: 'process.exitCode = 1' },
  { rule: 'environment', path: 'src/lib/a.ts', bad: 'const { env } = process;', good: 'const { pid } = process;' },
  { rule: 'environment', path: 'src/lib/a.ts', bad: 'process.env', good: 'process.env', goodPath: 'src/cli/a.ts' },
  { rule: 'pure-plan', path: 'src/plan/a.ts', bad: 'const now = Date.now();', good: 'const at = facts.now;' },
  { rule: 'pure-plan', path: 'src/plan/a.ts', bad: 'randomUUID()', good: 'randomUUID()', goodPath: 'src/cli/a.ts' },
  { rule: 'places', path: 'docs/a.md', bad: ['see /wo', 'rk/notes'].join(''), good: 'see /workspace/notes' },
  { rule: 'places', path: 'docs/a.md', bad: ['registry.', 'npmjs.org'].join(''), good: 'the npm registry' },
  { rule: 'no-focus', path: 'test/a.test.ts', bad: ['test.', 'only("x")'].join(''), good: 'test("x")' },
];

test.each(cases)('rule $rule refuses $bad in $path and accepts $good', ({ rule, path, bad, good, goodPath }) => {
  expect(violations(rule, [{ path, text: bad }])).toHaveLength(1);
  expect(violations(rule, [{ path: goodPath ?? path, text: good }])).toEqual([]);
});

test('every text rule is shown to refuse something', () => {
  expect(new Set(cases.map((one) => one.rule))).toEqual(new Set(Object.keys(RULES)));
});

test('a violation names the file, the line and the reason', () => {
  const [line] = violations('environment', [{ path: 'src/lib/a.ts', text: '\n\nprocess.env' }]);
  expect(line).toBe('src/lib/a.ts:3: The environment is read once, in src/cli, and handed down as values.');
});

test('a misspelt rule is an error and not an empty check', () => {
  expect(() => violations('lock-file', [])).toThrow('There is no rule "lock-file"');
});
