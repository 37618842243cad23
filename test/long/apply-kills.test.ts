import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, it } from 'vitest';
import { writeTree } from '../support/change-sets.ts';
import { figures } from '../support/figures.ts';
import { eventually } from '../support/host-processes.ts';
import { RUN, runWithChanges } from '../support/run-with-changes.ts';

const KILLS = 200;
const FILES = 240;
const EDIT = 'edited between the kill and the recovery\n';
/** So often it is killed before it is known to write. */
const EARLY_EVERY = 10;
/** Every other time a file is edited before the next command comes. */
const EDIT_EVERY = 2;

function tree(changed: boolean): Record<string, string> {
  const files = Array.from({ length: FILES }, (_, at) => `d${at % 30}/f${at}`);
  const kept = files.map((name, at): [string, string] => [name, `${at} `.repeat(changed ? 900 : 800)]);
  // A quarter each is only there before, and only after.
  return Object.fromEntries(kept.filter((_, at) => at % 4 !== (changed ? 0 : 1)));
}

it('200 SIGKILLs during apply leave the old tree or the new one, and every later edit', async (context) => {
  const { run, start, repo, folder, tree: now } = runWithChanges(tree(false), tree(true));
  const before = now();
  const journal = path.join(folder, 'apply.journal');
  const reset = (): void => {
    rmSync(repo, { recursive: true });
    mkdirSync(repo);
    writeTree(repo, tree(false));
  };
  let began = performance.now();
  const whole = start(['apply', RUN]);
  await eventually('the journal is there', 10_000, () => existsSync(journal));
  const [toJournal, written] = [performance.now() - began, performance.now()];
  await whole.ended;
  const writing = performance.now() - written;
  const after = now();
  expect(after).not.toEqual(before);
  const ends = { old: 0, new: 0, inJournal: 0, edited: 0 };
  for (let round = 0; round < KILLS; round++) {
    reset();
    began = performance.now();
    const cli = start(['apply', RUN]);
    // Random on purpose: this test is about the moments that nobody thought of. Most of them while it writes.
    const early = round % EARLY_EVERY === 0;
    if (!early) await eventually('the journal is there', 10_000, () => existsSync(journal));
    const [from, length] = early ? [began, toJournal] : [performance.now(), writing];
    const moment = Math.random() * length;
    await eventually('the moment has come', 60_000, () => performance.now() - from >= moment);
    cli.child.kill('SIGKILL');
    await cli.ended;
    if (existsSync(journal)) ends.inJournal += 1;
    const edited = round % EDIT_EVERY === 0 ? undefined : edit(repo, round);
    expect(await run(['ls'])).toMatchObject({ code: 0 });
    expect(existsSync(journal)).toBe(false);
    const found = now();
    if (edited !== undefined) {
      ends.edited += 1;
      expect(readFileSync(path.join(repo, edited), 'utf8')).toBe(EDIT);
    }
    const isNew = same(found, after, edited);
    expect(isNew || same(found, before, edited), `round ${round}, ${moment} ms, edited ${edited}`).toBe(true);
    ends[isNew ? 'new' : 'old'] += 1;
  }
  figures(
    context.task,
    `${ends.old} old, ${ends.new} new; ${ends.inJournal} left a journal, ${ends.edited} with an edit; written in ${Math.round(writing)} ms`,
  );
  expect(ends.inJournal).toBeGreaterThan(KILLS / 2);
  expect(ends.old).toBeGreaterThan(KILLS / 10);
});

/** Edits one of the files that are there, as an editor does that writes in place. */
function edit(repo: string, round: number): string | undefined {
  const folder = `d${round % 30}`;
  if (!existsSync(path.join(repo, folder))) return undefined;
  const names = readdirSync(path.join(repo, folder)).filter((name) => name.startsWith('f'));
  const name = names[round % names.length];
  if (name === undefined) return undefined;
  writeFileSync(path.join(repo, folder, name), EDIT);
  return `${folder}/${name}`;
}

/** Equal but for the edited file, a new folder that stays for its sake, and its old content, which may be kept beside it. */
function same(found: Record<string, string>, wanted: Record<string, string>, edited: string | undefined): boolean {
  const isOfEdit = (name: string): boolean =>
    edited !== undefined &&
    (name === edited || edited.startsWith(`${name}/`) || /\/\.pi-sandbox-[^/]*\.old$/.test(name));
  const rest = (tree: Record<string, string>): unknown => Object.entries(tree).filter(([name]) => !isOfEdit(name));
  return JSON.stringify(rest(found)) === JSON.stringify(rest(wanted));
}
