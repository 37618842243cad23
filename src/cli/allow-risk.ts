import { SandboxError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { RISK_CLASSES, type RiskClass } from '../protocol/changes.ts';

/** Classes given with `--allow-risk`, each a list with commas. @throws SandboxError `usage` for what is no class */
export function allowedRisks(given: readonly string[]): ReadonlySet<RiskClass> {
  const names = given.flatMap((list) => list.split(',')).map((name) => name.trim());
  return new Set(names.filter((name) => name !== '').map(riskClass));
}

function riskClass(name: string): RiskClass {
  const known = RISK_CLASSES.find((one) => one === name);
  if (known !== undefined) return known;
  const guess = nearest(name, RISK_CLASSES);
  throw new SandboxError('usage', `--allow-risk ${name}: there is no such class.`, {
    hint: `${guess === undefined ? '' : `Did you mean ${guess}? `}Classes: ${RISK_CLASSES.join(', ')}. Each is named, there is no word for all.`,
  });
}
