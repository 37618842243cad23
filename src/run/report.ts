import type { Writable } from 'node:stream';
import { withoutOwnLines } from '../container/own-lines.ts';
import type { StderrTail } from '../container/stderr-tail.ts';
import type { ManifestEntry } from '../protocol/manifest.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { LeftOut } from '../workspace/left-out.ts';
import { type PackResult, packSelection } from '../workspace/pack.ts';
import type { ExecuteParts } from './execute.ts';
import { keepOutputs } from './keep-outputs.ts';
import type { OutputPaths } from './output-paths.ts';
import type { Prepared } from './prepare.ts';
import type { RunRedaction } from './redaction.ts';
import type { RunFiles } from './run-files.ts';
import type { InsideUser, Keep } from './teardown.ts';

/** Longest tail of an error stream that is recorded, characters. */
const MAX_STDERR_CHARS = 4_000;
/** Files that one notice names. */
const MAX_NAMED = 5;

/** What is about to run, for the reader of the record. */
export function recordStart(files: RunFiles, prepared: Prepared, plan: RunPlan, machine: string): void {
  const { engine, selection } = prepared;
  void files.record({
    source: 'observed',
    type: 'run_started',
    profile: plan.profile,
    model: plan.model.spec,
    ...(plan.limits.gateway.costUsd === undefined ? {} : { maxUsd: plan.limits.gateway.costUsd }),
    image: plan.container.image,
    machine,
    tools: [...plan.pi.tools, ...(plan.pi.reachable ?? [])],
    engine: { version: engine.facts.version, api: engine.facts.apiVersion, endpoint: engine.facts.endpoint },
    network: { mode: plan.network.mode, allow: plan.network.allow },
    workspace: { mode: plan.workspace.mode, root: plan.workspace.root, files: selection.files, bytes: selection.bytes },
    leftOut: selection.leftOut.counts,
    projectFiles: { trusted: plan.workspace.trusted, contextFiles: plan.workspace.contextFiles },
  });
  for (const message of plan.notices) void files.record({ source: 'observed', type: 'notice', message });
}

/** Streams the selected files in, and records which of them changed or went away meanwhile. */
export async function sendRepository(
  parts: ExecuteParts,
  plan: RunPlan,
  sink: Writable,
  files: RunFiles,
  onEntry: ((entry: ManifestEntry) => void) | undefined,
): Promise<void> {
  if (plan.workspace.mode !== 'copy') return;
  const { agentUid } = plan.container;
  const started = performance.now();
  const { selection } = parts.prepared;
  const result = await packSelection(selection, sink, {
    uid: agentUid,
    gid: agentUid,
    signal: parts.stops.signal,
    ...(onEntry === undefined ? {} : { onEntry }),
    onProgress: (done) => parts.host.progress(`Copying in: ${done.files} of ${selection.files} files`),
  });
  void files.record({
    source: 'observed',
    type: 'imported',
    files: result.files,
    bytes: result.bytes,
    ms: Math.round(performance.now() - started),
    changed: result.changed,
    changedCount: result.changedCount,
    skipped: result.skipped.counts,
  });
  for (const message of [...moved(result), ...missing(selection.leftOut, result.skipped)]) {
    void files.record({ source: 'observed', type: 'notice', message });
  }
}

/** What the user may expect inside and the agent does not see, one sentence per reason. */
function missing(...parts: readonly LeftOut[]): string[] {
  return (['unreadable', 'vanished', 'replaced'] as const).flatMap((reason) => {
    const count = parts.reduce((sum, { counts }) => sum + (counts[reason] ?? 0), 0);
    if (count === 0) return [];
    const names = parts.flatMap(({ list }) => list).filter((entry) => entry.reason === reason);
    const named = names.slice(0, 3).map(({ path }) => path);
    return [`Not copied because ${REASON_TEXT[reason]}: ${count} in all, ${named.join(', ')} among them.`];
  });
}

const REASON_TEXT = {
  unreadable: 'this user may not read it',
  vanished: 'it was gone when its turn came',
  replaced: 'it became something else while it was copied',
} as const;

function moved({ changed, changedCount }: PackResult): string[] {
  if (changedCount === 0) return [];
  const names = changed.slice(0, MAX_NAMED).map((file) => `${file.path} (${file.what})`);
  const more = changedCount > names.length ? `, and ${changedCount - names.length} more` : '';
  return [`Files changed while they were copied, so that the agent sees a mixture: ${names.join(', ')}${more}.`];
}

/** What pi and the bridge printed on their error streams, our own words left out. */
export function recordErrors(
  files: Pick<RunFiles, 'record'>,
  tails: Readonly<Record<'pi' | 'bridge', StderrTail>>,
): void {
  for (const [who, tail] of Object.entries(tails)) {
    const said = tail.text;
    const foreign = withoutOwnLines(said);
    if (foreign.trim() === '') continue;
    const bytes = tail.bytes - (Buffer.byteLength(said) - Buffer.byteLength(foreign));
    void files.record({ source: 'claimed', type: 'stderr', who, bytes, text: foreign.slice(-MAX_STDERR_CHARS) });
  }
}

/** Saves the full bash outputs, redacted, when the run was asked to keep them. */
export function keptOutputs(
  session: { plan: RunPlan; files: RunFiles; outputs: OutputPaths },
  target: InsideUser,
  redaction: RunRedaction,
): Keep | undefined {
  const { plan, files, outputs } = session;
  if (!plan.keepOutputs) return undefined;
  return async (problem) => {
    // A command that reads them would be at the mercy of what still runs.
    const result =
      problem === undefined
        ? await keepOutputs({ ...target, outputs, redaction }, files.folder)
        : { kept: 0, leftOut: [...outputs.entries()].length, redacted: 0 };
    void files.record({ source: 'observed', type: 'outputs_kept', ...result });
  };
}
