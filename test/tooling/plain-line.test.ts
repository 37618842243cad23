import { expect, test } from 'vitest';
import { countChecks, countTests, plainLine } from '../../scripts/plain-line.ts';

const report = (over: object) =>
  JSON.stringify({
    numPassedTests: 3,
    numFailedTests: 0,
    numPendingTests: 0,
    numTodoTests: 0,
    testResults: [],
    ...over,
  });

test('passed and failed tests and checks are summed up in one line', () => {
  const checks = countChecks('pass types\nfail import rules\npass nothing unused\n');
  const tests = countTests(report({ numFailedTests: 2 }), 1);
  expect(plainLine([checks, tests])).toBe('5 passed, 3 failed');
});

test('skipped tests are said, since a skipped promise is not a kept one', () => {
  expect(plainLine([countTests(report({ numPendingTests: 1, numTodoTests: 1 }), 0)])).toBe(
    '3 passed, 0 failed, 2 skipped',
  );
});

test('a test file that cannot be loaded counts as a failure', () => {
  const testResults = [{ name: 'a.test.ts', status: 'failed', assertionResults: [] }];
  expect(countTests(report({ testResults }), 1).failed).toBe(1);
});

test('a run that ends badly counts as a failure although no test failed', () => {
  expect(countTests(report({}), 1).failed).toBe(1);
});

test.each([undefined, '', '{}', '{"numPassedTests":'])('a report that is %o counts as a failure', (text) => {
  expect(countTests(text, 0)).toEqual({ passed: 0, failed: 1, skipped: 0 });
});
