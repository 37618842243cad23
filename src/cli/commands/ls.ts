import { formatAge } from '../../lib/format.ts';
import type { RunEntry } from '../../protocol/run-entry.ts';
import { runState } from '../../run/run-state.ts';
import { listRuns, type RunSummary } from '../../transcript/run-list.ts';
import { environment } from '../environment.ts';
import { fitModels } from '../fit-models.ts';
import { printJsonLine, printTable, say, stdoutReady, tableWidth } from '../print.ts';
import { recoverFirst } from '../recover-first.ts';
import { changesText } from '../render-changes.ts';

const HEAD = ['RUN', 'AGE', 'STATE', 'CHANGED', 'PROFILE', 'MODEL', 'REPOSITORY'];
const MODEL = HEAD.indexOf('MODEL');

/** `pi-sandbox ls`: all runs, newest first. With `json`, a RunEntry per line. */
export async function ls(options: { readonly json?: boolean }): Promise<number> {
  await recoverFirst();
  const entries = await Promise.all(listRuns(environment.stateRoot).reverse().map(entryOf));
  if (options.json === true) {
    for (const entry of entries) {
      printJsonLine(entry);
      await stdoutReady();
    }
  } else if (entries.length === 0) {
    say('There are no runs yet.');
  } else {
    printTable([HEAD, ...fitted(entries.map(rowOf))]);
  }
  return 0;
}

async function entryOf({ id, ...summary }: RunSummary): Promise<RunEntry> {
  return { v: 1, run: id, state: await runState(environment.stateRoot, id), ...summary };
}

function rowOf({ run, time, state, changes, changesState, profile, model, repo }: RunEntry): string[] {
  const became = changesState === undefined ? '' : `, ${changesState.state}`;
  const changed = changes === undefined ? '' : `${changesText(changes)}${became}`;
  const age = formatAge(Date.now() - Date.parse(time));
  return [run, age, stateText(state), changed, profile ?? '?', model ?? '?', repo ?? '?'];
}

/** On a terminal a long path of a scenario must not push the repository to the next line. */
function fitted(rows: readonly string[][]): string[][] {
  const { isTTY, columns } = process.stdout;
  if (!isTTY || !columns) return [...rows];
  const models = fitModels(
    rows.map((row) => row[MODEL] ?? ''),
    tableWidth([HEAD, ...rows]),
    columns,
  );
  return rows.map((row, at) => row.with(MODEL, models[at] ?? ''));
}

/** A state as a person reads it in a list. */
function stateText(state: RunEntry['state']): string {
  return state === 'lost' ? 'lost: controller gone, no outcome' : state.replaceAll('_', ' ');
}
