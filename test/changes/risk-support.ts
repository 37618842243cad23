import { createHash } from 'node:crypto';
import { classifyRisks } from '../../src/changes/risk/classify.ts';
import { showPath } from '../../src/lib/path-bytes.ts';
import type { Change, ChangeKind, FileState, Risk } from '../../src/protocol/changes.ts';

type Content = string | Buffer;

export interface Edit {
  readonly path: string | Buffer;
  readonly before?: Content;
  readonly after?: Content;
  readonly wasExecutable?: boolean;
  readonly executable?: boolean;
}

/** The risks of a file that was added, changed or deleted. */
export function risksOf({ path, before, after, wasExecutable = false, executable = false }: Edit): Risk[] {
  const [old, now] = [bytes(before), bytes(after)];
  const same = old !== undefined && now !== undefined && old.equals(now);
  const kind: ChangeKind = old === undefined ? 'add' : now === undefined ? 'delete' : same ? 'mode' : 'modify';
  const change: Omit<Change, 'risks'> = {
    path: showPath(Buffer.from(path)),
    kind,
    ...(old === undefined ? {} : { before: file(old, wasExecutable) }),
    ...(now === undefined ? {} : { after: file(now, executable) }),
  };
  return classifyRisks(change, { before: () => old, after: () => now });
}

/** Classes, each once. */
export function classesOf(edit: Edit): string[] {
  return [...new Set(risksOf(edit).map((risk) => risk.class))].sort();
}

/** `what` with its lines: `scripts.test @3`, `git hook @2-4`. */
export function told(edit: Edit): string[] {
  return risksOf(edit).map(({ what, lines }) => {
    if (lines === undefined) return what;
    return lines[0] === lines[1] ? `${what} @${lines[0]}` : `${what} @${lines[0]}-${lines[1]}`;
  });
}

export function file(content: Buffer, executable = false): FileState & { type: 'file' } {
  return { type: 'file', executable, size: content.length, sha256: sha256(content) };
}

function sha256(content: Buffer): string {
  return createHash('sha256').update(content).digest('hex');
}

function bytes(content: Content | undefined): Buffer | undefined {
  return content === undefined ? undefined : Buffer.from(content);
}

/** Processor time that something takes, milliseconds: other processes on the machine do not count. */
export function costOf(work: () => void): number {
  const start = process.cpuUsage();
  work();
  const { user, system } = process.cpuUsage(start);
  return (user + system) / 1_000;
}
