import { readFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { riskPage } from '../../scripts/risk-page.ts';
import { explainRisk, FOUND_OTHERWISE, RISK_RULES } from '../../src/changes/risk/risk-table.ts';
import { RISK_CLASSES } from '../../src/protocol/changes.ts';

test('docs/risks.md is what the code goes by (else: node scripts/write-risks.mjs)', () => {
  expect(readFileSync(path.join(import.meta.dirname, '../../docs/risks.md'), 'utf8')).toBe(riskPage());
});

test.each(RISK_CLASSES)('%s has a reason, and something that makes a change one', (name) => {
  expect(explainRisk(name)).toMatch(/^[A-Z].*\.$/);
  expect(RISK_RULES.some((rule) => rule.class === name) || FOUND_OTHERWISE[name] !== undefined).toBe(true);
});
