import { plural } from '../lib/format.ts';
import { commitBranch } from '../run/commit-branch.ts';
import { type Applying, REFUSED, recordApplied } from './apply-files.ts';
import { commandText, sayConflicts, sayNotes, sayRisks } from './apply-words.ts';
import { consented } from './consent.ts';
import { environment } from './environment.ts';
import { printLine, say } from './print.ts';

/** Commits onto a new branch of the repository of the run. Returns the exit code. */
export async function applyToBranch(applying: Applying, name: string): Promise<number> {
  const { set, store, picked, again, risks, check, signal, pause } = applying;
  const request = { set, store, picked, name, signal, pause };
  const configHome = environment.env('XDG_CONFIG_HOME');
  const host = { stateRoot: environment.stateRoot, homeDir: environment.homeDir, configHome };
  const looked = await commitBranch({ ...request, check: true }, host);
  if (looked.conflicts.length > 0) {
    sayConflicts(looked.conflicts);
    sayRisks(risks);
    say(`No branch was made. The change set is kept. Next:`);
    say(`  ${commandText(['apply', set.run])}                      # write to your files instead`);
    say(`  ${commandText(['apply', set.run, '--branch', name])} PATH...  # only what fits`);
    return REFUSED;
  }
  if (!(await consented(risks, again, { ask: !check }))) return REFUSED;
  const onto = looked.base === undefined ? 'as the first commit' : `on top of ${looked.base}`;
  if (check) {
    for (const path of looked.paths) printLine(path);
    sayNotes(looked.notes);
    say(`${plural(looked.paths.length, 'change')} would be committed onto ${name}, ${onto}. Nothing was written.`);
    return 0;
  }
  const { commit, conflicts, notes, top } = await commitBranch({ ...request, check: false }, host);
  if (commit === undefined) {
    sayConflicts(conflicts);
    say('No branch was made.');
    return REFUSED;
  }
  recordApplied(applying, { target: top, branch: name });
  printLine(commit);
  sayNotes(notes);
  say(`Committed ${plural(looked.paths.length, 'change')} of run ${set.run} onto the branch ${name}, ${onto}.`);
  say('Your files, the index and the checked out branch are as they were.');
  say(`Digest of the change set: ${set.digest}`);
  return 0;
}
