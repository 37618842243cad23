import type { Engine } from '../../container/engine.ts';
import { SandboxError } from '../../errors.ts';
import { parseDuration } from '../../lib/duration.ts';
import { formatAge, formatBytes, plural } from '../../lib/format.ts';
import { environment } from '../environment.ts';
import { printTable, say } from '../print.ts';
import { askOrLeave } from '../prompt.ts';
import { oldImages, oldRuns, type Prunable } from '../prunable.ts';
import { recoverFirst } from '../recover-first.ts';

export interface PruneOptions {
  readonly olderThan?: string;
  readonly images?: boolean;
  readonly yes?: boolean;
  readonly dryRun?: boolean;
}

const DEFAULT_AGE = '30d';

/** `pi-sandbox prune`: removes old runs, and with `images` the images of other versions, after asking. */
export async function prune(options: PruneOptions): Promise<number> {
  const age = options.olderThan ?? DEFAULT_AGE;
  const ageMs = parseDuration(age, { zero: true });
  if (ageMs === undefined) throw new SandboxError('usage', `--older-than ${age}: not a duration such as 12h or 30d.`);
  // Leftovers in the engine are nobody's decision: like every command, this one has removed them here.
  const engine = await recoverFirst();
  const found = [
    ...(await oldRuns(environment.stateRoot, new Date(Date.now() - ageMs))),
    ...(options.images === true ? await images(engine) : []),
  ];
  if (found.length === 0) {
    say(
      `Nothing to remove: no run is older than ${age}${options.images === true ? ', no image is of another version' : ''}.`,
    );
    return 0;
  }
  printTable(found.map(({ kind, name, bytes, time }) => [kind, name, formatBytes(bytes), ageOf(time)]));
  if (options.dryRun === true) return 0;
  if (options.yes !== true && !(await agreed(found))) return 0;
  return await removeAll(found);
}

async function images(engine: Engine | undefined): Promise<Prunable[]> {
  if (engine !== undefined) return oldImages(engine);
  throw new SandboxError('engine', 'No container engine answers, so its images cannot be looked at.', {
    hint: 'Start it, or leave --images out. pi-sandbox doctor says more.',
  });
}

async function agreed(found: readonly Prunable[]): Promise<boolean> {
  if (!process.stdin.isTTY) {
    throw new SandboxError('usage', 'Nothing was removed: there is no terminal to ask.', {
      hint: 'Add --yes to remove what is listed, or --dry-run to only list it.',
    });
  }
  const bytes = found.reduce((sum, one) => sum + one.bytes, 0);
  const answer = await askOrLeave(`Remove ${plural(found.length, 'item')} (${formatBytes(bytes)})? [y/N] `);
  return /^\s*y(es)?\s*$/i.test(answer ?? '');
}

async function removeAll(found: readonly Prunable[]): Promise<number> {
  let failed = 0;
  for (const { kind, name, remove } of found) {
    try {
      await remove();
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      failed++;
      say(`pi-sandbox: ${kind} ${name} was not removed: ${error.message}`);
    }
  }
  say(`Removed ${plural(found.length - failed, 'item')}.`);
  return failed === 0 ? 0 : 5;
}

function ageOf(time: Date): string {
  return `${formatAge(Date.now() - time.getTime())} old`;
}
