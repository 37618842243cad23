import { explainCall } from '../../run/explain-call.ts';
import { environment } from '../environment.ts';
import { explainLines } from '../explain-lines.ts';
import { pickRun } from '../pick-run.ts';
import { recoverFirst } from '../recover-first.ts';
import { shownLine } from '../shown-line.ts';

/** Without a terminal that says how wide it is. */
const COLUMNS = 120;

/** `pi-sandbox policy explain`: what became of a call of a run, and why. */
export async function policyExplain(ref: string, call: string): Promise<number> {
  await recoverFirst();
  const explained = await explainCall(environment.stateRoot, pickRun(ref).id, call);
  const display = environment.display(process.stdout);
  for (const line of explainLines(explained, process.stdout.columns || COLUMNS)) {
    process.stdout.write(shownLine(line, display));
  }
  return 0;
}
