import type { Refused } from '../protocol/changes.ts';
import type { Manifest, ManifestEntry } from '../protocol/manifest.ts';
import type { ContentKeeper } from './content-keeper.ts';
import { isExecutable } from './file-state.ts';
import { MAX_CHANGES, MAX_FILE_BYTES, MAX_PATH_BYTES } from './limits.ts';
import { parentOf, pathBytes } from './path-keys.ts';
import { findPathProblem } from './path-rules.ts';
import type { Member, MemberSink, MemberType } from './read-archive.ts';
import type { Refusals } from './refusals.ts';
import type { StartReader } from './start-content.ts';

const SPECIAL_BITS = 0o7000;

/** Whether the ignore rules leave a new path out. */
export type IsIgnored = (path: Buffer, folder: boolean) => boolean;

/** Members that are refused for what they are. */
const REFUSED_TYPES: Readonly<Partial<Record<MemberType, { reason: Refused['reason']; detail: string }>>> = {
  hardlink: { reason: 'hardlink', detail: 'It is a second name of another file.' },
  device: { reason: 'device', detail: 'It is a device.' },
  fifo: { reason: 'fifo', detail: 'It is a named pipe.' },
  sparse: { reason: 'sparse', detail: 'It is stored as a file with holes.' },
  unknown: { reason: 'unknown-type', detail: 'It is neither a file, nor a folder, nor a link.' },
};

/** Takes the members of an archive and judges each by itself: what is left is the tree as the agent left it. */
export class EndTree implements MemberSink {
  /** By path. What did not change is the start manifest's own entry. */
  readonly entries = new Map<string, ManifestEntry>();
  /** Limits that were hit, one sentence each. */
  readonly limits = new Set<string>();
  readonly #start: Manifest;
  readonly #readStart: StartReader;
  readonly #keeper: ContentKeeper;
  readonly #refusals: Refusals;
  readonly #isIgnored: IsIgnored;
  readonly #maxFile: number;
  #changes = 0;
  #file: { key: string; known: ManifestEntry | undefined; mode: number; size: number } | undefined;

  constructor(
    start: Manifest,
    readStart: StartReader,
    keeper: ContentKeeper,
    refusals: Refusals,
    { isIgnored = () => false, maxFileBytes = MAX_FILE_BYTES }: { isIgnored?: IsIgnored; maxFileBytes?: number },
  ) {
    this.#start = start;
    this.#readStart = readStart;
    this.#keeper = keeper;
    this.#refusals = refusals;
    this.#isIgnored = isIgnored;
    this.#maxFile = maxFileBytes;
  }

  member(member: Member): void {
    this.#file = undefined;
    const key = keyOf(member);
    // The root is where it is, and its `.git` is the one that was made for the sandbox.
    if (key === '' || key === '.git' || key.startsWith('.git/')) return;
    const known = this.#start.get(key);
    const problem = known === undefined ? findPathProblem(key) : undefined;
    if (problem !== undefined) {
      this.#refusals.add(problem.at, problem.reason, problem.detail, true);
      if (problem.at !== key) this.#refusals.addBelow(problem.at);
      return;
    }
    if (this.#isDuplicate(key, member)) return;
    if (known === undefined && this.#leaveOut(key, member.type === 'dir')) return;
    const refused = REFUSED_TYPES[member.type];
    if (refused !== undefined) this.#refusals.add(key, refused.reason, refused.detail);
    else if (member.type === 'dir') this.#addFolder(key, known, member.mode);
    else if (member.type === 'symlink') this.#addLink(key, known, member);
    else this.#startFile(key, known, member);
  }

  content(bytes: Buffer): void {
    if (this.#file !== undefined) this.#keeper.write(bytes);
  }

  end(): void {
    if (this.#file === undefined) return;
    const { key, known, mode, size } = this.#file;
    this.#file = undefined;
    const sha256 = this.#keeper.finish();
    const same = known?.type === 'file' && known.sha256 === sha256 && isExecutable(known.mode) === isExecutable(mode);
    if (same) this.entries.set(key, known);
    else if (this.#mayChange(key, known)) {
      const kept = this.#keeper.keep(sha256);
      if (kept === 'kept') this.entries.set(key, { path: pathBytes(key), type: 'file', mode, size, sha256 });
      else if (kept === 'too-large') this.#limit(key, kept, 'All changed files together are too large to be kept.');
      else this.#limit(key, 'unreadable', 'A file on the host changed while it was compared with the sandbox.');
    }
    this.#keeper.drop();
  }

  /** What the user's ignore rules leave out of the repository is not wanted back; a folder stands for all in it. */
  #leaveOut(key: string, folder: boolean): boolean {
    for (let at = parentOf(key); at !== ''; at = parentOf(at)) {
      if (this.#refusals.get(at)?.reason !== 'ignored') continue;
      this.#refusals.addBelow(at);
      return true;
    }
    if (!this.#isIgnored(pathBytes(key), folder)) return false;
    this.#refusals.add(key, 'ignored', '', folder);
    return true;
  }

  #isDuplicate(key: string, member: Member): boolean {
    const earlier = this.entries.get(key);
    if (earlier === undefined && this.#refusals.get(key) === undefined) return false;
    if (earlier?.type === 'dir' && member.type === 'dir') return true;
    this.#refusals.add(key, 'duplicate', 'The archive holds it more than once.');
    return true;
  }

  #addFolder(key: string, known: ManifestEntry | undefined, mode: number): void {
    if (known?.type === 'dir') this.entries.set(key, known);
    else if (this.#mayChange(key, known, true)) {
      this.entries.set(key, { path: pathBytes(key), type: 'dir', mode: mode & 0o777, size: 0 });
    }
  }

  #addLink(key: string, known: ManifestEntry | undefined, { target, mode }: Member): void {
    if (known?.type === 'symlink' && known.target?.equals(target) === true) {
      this.entries.set(key, known);
    } else if (target.length === 0 || target.length > MAX_PATH_BYTES || target.includes(0)) {
      this.#refusals.add(key, 'outside', 'It is a link to no possible path.');
    } else if (this.#mayChange(key, known)) {
      this.entries.set(key, { path: pathBytes(key), type: 'symlink', mode: mode & 0o777, size: 0, target });
    }
  }

  #startFile(key: string, known: ManifestEntry | undefined, { mode, size }: Member): void {
    if ((mode & SPECIAL_BITS) !== 0) {
      this.#refusals.add(key, 'special-bits', 'It carries a set-user-ID, set-group-ID or sticky bit.');
      return;
    }
    if (size > this.#maxFile) {
      this.#limit(key, 'too-large', `A file is larger than ${this.#maxFile} bytes.`);
      return;
    }
    this.#keeper.begin(size, known?.type === 'file' ? () => this.#readStart(known.path) : undefined);
    this.#file = { key, known, mode, size };
  }

  /** Whether one more change is taken, and at this path. */
  #mayChange(key: string, known: ManifestEntry | undefined, folder = false): boolean {
    const problem = known === undefined ? undefined : findPathProblem(key);
    if (problem !== undefined) {
      this.#refusals.add(key, problem.reason, problem.detail, folder);
      return false;
    }
    this.#changes += 1;
    if (this.#changes <= MAX_CHANGES) return true;
    this.#limit(key, 'too-many', `There are more than ${MAX_CHANGES} changes.`, folder);
    return false;
  }

  #limit(key: string, reason: Refused['reason'], detail: string, folder = false): void {
    this.limits.add(detail);
    this.#refusals.add(key, reason, detail, folder);
  }
}

/** The path that a member means: without the `./` before it, and without the slash after a folder's name. */
function keyOf({ name, type }: Member): string {
  let key = name.toString('latin1');
  if (key === '.') return '';
  if (key.startsWith('./')) key = key.slice(2);
  else if (key === '') return '/';
  return type === 'dir' && key.length > 1 && key.endsWith('/') ? key.slice(0, -1) : key;
}
