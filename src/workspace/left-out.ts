import { showPath } from '../lib/path-bytes.ts';
import { LISTED_PER_REASON } from './limits.ts';

/** Why a path does not enter the sandbox. */
export type LeftOutReason =
  | 'ignored' // by git's ignore rules
  | 'excluded' // by --exclude
  | 'git-metadata' // `.git`, a folder or a file, at any depth, and the folder that such a file names
  | 'project-files' // `.pi` and `.agents` at the root, unless the project is trusted
  | 'context-files' // AGENTS*.md and CLAUDE*.md at the root, where the policy gives the model none
  | 'submodule-uninitialised' // an empty folder enters in its place
  | 'mount' // another file system is mounted here
  | 'fifo'
  | 'socket'
  | 'device'
  | 'unreadable'
  | 'vanished' // was there when listed, then not
  | 'replaced'; // became another type while it was copied

export interface LeftOut {
  /** Paths per reason. A folder left out whole counts as one. */
  readonly counts: Readonly<Partial<Record<LeftOutReason, number>>>;
  /** The first ones of each reason, likely secrets before others. Escaped for display; folders end in `/`. */
  readonly list: readonly { readonly path: string; readonly reason: LeftOutReason }[];
}

/** Names that often hold credentials: they are named first where not everything can be. */
const LIKELY_SECRET =
  /(^|\/)(\.env(\.[^/]*)?|\.npmrc|\.netrc|\.pypirc|\.git-credentials|id_[a-z0-9]+|credentials[^/]*|secrets?[^/]*|[^/]*\.(pem|key|p12|pfx|keystore|kdbx))$/i;

/** Collects what is left out: exact counts, a bounded list. */
export class LeftOutRecorder {
  readonly #counts: Partial<Record<LeftOutReason, number>> = {};
  readonly #lists = new Map<LeftOutReason, { secrets: string[]; others: string[] }>();

  add(path: Buffer, reason: LeftOutReason, isFolder = false): void {
    this.#counts[reason] = (this.#counts[reason] ?? 0) + 1;
    const list = this.#lists.get(reason) ?? { secrets: [], others: [] };
    this.#lists.set(reason, list);
    const secret = LIKELY_SECRET.test(path.toString('latin1'));
    const kept = secret ? list.secrets : list.others;
    if (kept.length < LISTED_PER_REASON) kept.push(showPath(path) + (isFolder ? '/' : ''));
  }

  result(): LeftOut {
    const list: { path: string; reason: LeftOutReason }[] = [];
    for (const [reason, { secrets, others }] of this.#lists) {
      for (const path of [...secrets, ...others].slice(0, LISTED_PER_REASON)) list.push({ path, reason });
    }
    return { counts: { ...this.#counts }, list };
  }
}
