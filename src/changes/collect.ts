import { SandboxError } from '../errors.ts';
import { showPath } from '../lib/path-bytes.ts';
import { TimeSlice } from '../lib/slice.ts';
import { CHANGE_SET_VERSION, type Change, type ChangeSet } from '../protocol/changes.ts';
import type { Manifest, ManifestEntry } from '../protocol/manifest.ts';
import { compareTrees, type FoundChange, findStaying } from './compare.ts';
import { ContentKeeper } from './content-keeper.ts';
import { changeSetDigest } from './digest.ts';
import { EndTree, type IsIgnored } from './end-tree.ts';
import { SLICE_MS } from './limits.ts';
import { linkNames } from './link-names.ts';
import { pathBytes } from './path-keys.ts';
import { readArchive } from './read-archive.ts';
import { Refusals } from './refusals.ts';
import { guessRenames } from './rename-guess.ts';
import { classifyRisks } from './risk/classify.ts';
import { quoted } from './risk/finding.ts';
import { keepStartContent, type StartReader } from './start-content.ts';
import type { ChangeStore } from './store.ts';
import { type ArchiveExit, readTarErrors } from './tar-errors.ts';
import { refuseBelowLinks, refuseCollisions, refuseGitFolders, refuseLinksToOutside } from './tree-rules.ts';

export interface CollectOptions {
  /** What GNU tar wrote of the sandbox's root: `tar -c --format=gnu --hard-dereference --exclude=./.git -C ROOT .`, without what lies below the deepest allowed folders */
  readonly archive: AsyncIterable<Buffer>;
  /** How tar ended. Asked for once its archive was read to the end; not at all when the archive was broken before. */
  readonly exit: () => Promise<ArchiveExit>;
  /** What was sent in. */
  readonly start: Manifest;
  /** Reads what was sent in once more, from the host; `readFrom(root)`. */
  readonly readStart: StartReader;
  /** Ignore rules as they are on the host: what the agent wrote into its own does not count. */
  readonly isIgnored?: IsIgnored;
  readonly store: ChangeStore;
  /** Id of the run. */
  readonly run: string;
  /** Real path of the repository on the host. */
  readonly root: string;
  /** Instead of `classifyRisks`. */
  readonly risksOf?: typeof classifyRisks;
  readonly signal?: AbortSignal;
  /** Instead of MAX_FILE_BYTES and MAX_KEPT_BYTES. */
  readonly maxFileBytes?: number;
  readonly maxKeptBytes?: number;
}

/**
 * Compares what came out of the sandbox with what went in, and saves the change set with its contents in the store.
 * @throws SandboxError `wire` when nothing at all came out, `state` when it cannot be kept; the signal's reason
 */
export async function collectChanges(o: CollectOptions): Promise<ChangeSet> {
  const keeper = new ContentKeeper(o.store, o.maxKeptBytes);
  const refusals = new Refusals();
  const tree = new EndTree(o.start, o.readStart, keeper, refusals, o);
  const reasons: string[] = [];
  let told = true;
  try {
    const { members, cut } = await readArchive(o.archive, tree, o.signal);
    if (members === 0) throw nothingCameOut(cut);
    if (cut !== undefined) {
      reasons.push(
        `The archive of the sandbox's files is not whole: ${cut}. What it does not show counts as unchanged.`,
      );
      told = false;
    } else {
      told = takeErrors(await o.exit(), refusals, reasons);
    }
  } finally {
    keeper.drop();
  }
  reasons.push(...tree.limits);

  const slice = new TimeSlice(SLICE_MS, o.signal);
  const end = tree.entries;
  refuseBelowLinks(end, refusals);
  refuseLinksToOutside(end, o.start, refusals);
  await slice.pause();
  refuseGitFolders(end, o.start, refusals);
  const staying = findStaying(o.start, end, refusals, told);
  await slice.pause();
  refuseCollisions(end, staying, o.start, refusals);
  const found = compareTrees(o.start, end, staying);
  await slice.pause();

  await keepContents(found, keeper, o.readStart, slice);
  const set = {
    v: CHANGE_SET_VERSION,
    run: o.run,
    root: o.root,
    outcome: reasons.length === 0 ? 'complete' : 'partial',
    reasons,
    changes: await judged(found, linkNames(o.start, end), keeper, o, slice),
    ...refusals.result(),
  } satisfies Omit<ChangeSet, 'digest'>;
  const whole: ChangeSet = { ...set, digest: changeSetDigest(set) };
  o.store.save(whole);
  return whole;
}

function nothingCameOut(cut: string | undefined): SandboxError {
  return new SandboxError(
    'wire',
    `The sandbox gave back nothing, not even an empty folder${cut === undefined ? '' : ` (${cut})`}. What the agent changed is lost.`,
    { hint: 'The repository on the host is as it was. Run again; if it happens again, look at the errors in the run.' },
  );
}

/** Takes tar's complaints into account; says whether what is missing in the archive was deleted. */
function takeErrors(exit: ArchiveExit, refusals: Refusals, reasons: string[]): boolean {
  const { unreadable, sockets, understood } = readTarErrors(exit);
  for (const key of sockets) refusals.add(key, 'socket', 'It is a socket.');
  for (const key of unreadable) {
    refusals.add(key, 'unreadable', 'It could not be read in the sandbox.', true);
  }
  if (exit.exitCode === 0) return true;
  reasons.push(
    unreadable.size === 0
      ? `The archive of the sandbox's files may not be whole: tar ended with exit code ${exit.exitCode}.`
      : `Some of the sandbox's files could not be read (tar ended with exit code ${exit.exitCode}).`,
  );
  return understood && unreadable.size > 0;
}

/** Keeps what changed files held before, and lets go of what turned out to belong to no change. */
async function keepContents(
  found: readonly FoundChange[],
  keeper: ContentKeeper,
  read: StartReader,
  slice: TimeSlice,
): Promise<void> {
  const wanted = new Set(found.flatMap(({ before, after }) => [before?.sha256, after?.sha256]));
  keeper.removeOthers(wanted);
  for (const { before } of found) {
    if (slice.over) await slice.pause();
    if (before !== undefined) keepStartContent(before, read, keeper);
  }
}

async function judged(
  found: readonly FoundChange[],
  namesOf: (key: string) => readonly string[],
  keeper: ContentKeeper,
  { risksOf = classifyRisks, store }: CollectOptions,
  slice: TimeSlice,
): Promise<Change[]> {
  const renames = guessRenames(found);
  const content = (entry: ManifestEntry | undefined): Buffer | undefined =>
    entry?.sha256 !== undefined && keeper.has(entry.sha256) ? store.readBlob(entry.sha256) : undefined;
  const changes: Change[] = [];
  for (const { key, change, before, after } of found) {
    if (slice.over) await slice.pause();
    const from = renames.get(key);
    const renamed = from === undefined ? change : { ...change, renamedFrom: showPath(pathBytes(from)) };
    const contents = { before: () => content(before), after: () => content(after) };
    const risks = risksOf(renamed, contents);
    for (const name of namesOf(key)) {
      const as = showPath(pathBytes(name));
      const known = new Set(risks.map((risk) => risk.class));
      for (const risk of risksOf({ ...renamed, path: as }, contents)) {
        // What is hidden in the name of a link is told with the link.
        if (known.has(risk.class) || risk.class === 'hidden-unicode') continue;
        risks.push({ ...risk, what: `${risk.what}, through the link ${quoted(as)}` });
      }
    }
    changes.push({ ...renamed, risks });
  }
  return changes;
}
