import { expect, test } from 'vitest';
import { longPage } from '../../scripts/long-report.ts';

const page = longPage(
  {
    startTime: Date.UTC(2026, 0, 2),
    testResults: [
      {
        assertionResults: [
          {
            fullName: 'nothing is left | after a kill',
            status: 'passed',
            duration: 61_250,
            meta: { figures: '20 kills' },
          },
          { fullName: 'a promise that broke', status: 'failed', duration: null },
        ],
      },
    ],
  },
  'two processors',
);

test('the page of the long tests says when and where they ran', () => {
  expect(page).toContain('Run on 2026-01-02T00:00:00.000Z, two processors.');
});

test('every long test has a row with its result, time and figures, failed ones too', () => {
  expect(page).toContain('| nothing is left \\| after a kill | passed | 61.3 | 20 kills |');
  expect(page).toContain('| a promise that broke | failed |  |  |');
});
