import type { RiskClass } from '../protocol/changes.ts';
import { commandText, sayRisks } from './apply-words.ts';
import type { OfRisk } from './diff/change-words.ts';
import { say } from './print.ts';
import { askOrLeave } from './prompt.ts';

/** A command as it was given, to be given again with more. */
export interface Again {
  readonly words: readonly string[];
  /** Paths, last. */
  readonly named: readonly string[];
  /** Classes that were allowed. */
  readonly allowed: ReadonlySet<RiskClass>;
}

/** Whether each class that needs consent has it now: a person is asked, class by class, unless `ask` is false. */
export async function consented(risks: readonly OfRisk[], again: Again, { ask }: { ask: boolean }): Promise<boolean> {
  if (risks.length === 0) return true;
  if (!ask || process.stdin.isTTY !== true || process.stderr.isTTY !== true) {
    sayRisks(risks);
    return refuse(
      risks.map(({ name }) => name),
      again,
    );
  }
  for (const risk of risks) {
    sayRisks([risk]);
    const answer = await askOrLeave(`Apply ${risk.changes.length === 1 ? 'it' : 'them'}? [y/N] `);
    if (!/^\s*y(es)?\s*$/i.test(answer ?? '')) return refuse([risk.name], again);
  }
  return true;
}

function refuse(classes: readonly RiskClass[], { words, named, allowed }: Again): false {
  const list = [...allowed, ...classes].join(',');
  const paths = named.some((name) => name.startsWith('-')) ? ['--', ...named] : named;
  say(`Nothing was written: ${classes.join(', ')} ${classes.length === 1 ? 'is' : 'are'} not allowed. To allow:`);
  say(`  ${commandText([...words, '--allow-risk', list, ...paths])}`);
  return false;
}
