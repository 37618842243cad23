import { runDetails } from '../../run/run-details.ts';
import { environment } from '../environment.ts';
import { pickRun } from '../pick-run.ts';
import { printJson, printLine } from '../print.ts';
import { recoverFirst } from '../recover-first.ts';
import { detailLines } from '../show-details.ts';

/** `pi-sandbox show`: what is known of a run. With `json`, one RunDetails. */
export async function show(ref: string, options: { readonly json?: boolean }): Promise<number> {
  await recoverFirst();
  const details = await runDetails(environment.stateRoot, pickRun(ref).id);
  if (options.json === true) printJson(details);
  else for (const line of detailLines(details, new Date())) printLine(line);
  return 0;
}
