import { closeSync, existsSync, fsyncSync, openSync, readFileSync, renameSync, rmSync, writeSync } from 'node:fs';
import path from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { SandboxError } from '../../errors.ts';
import { problemText, strictParse } from '../../lib/strict-parse.ts';
import { FileState } from '../../protocol/changes.ts';
import { MAX_JOURNAL_BYTES } from '../limits.ts';
import { codeOf } from './code-of.ts';

const strict = { additionalProperties: false } as const;
const Rights = Type.Object({ mode: Type.Integer(), uid: Type.Integer(), gid: Type.Integer() }, strict);

/** What is done to one path. Paths and names are escaped as in a change set. */
export const Step = Type.Object(
  {
    path: Type.String({ minLength: 1 }),
    /** Absent: nothing was there. */
    before: Type.Optional(FileState),
    /** Absent: nothing is to be there. */
    after: Type.Optional(FileState),
    /** Only the executable bit changes. */
    modeOnly: Type.Boolean(),
    /** Of the file or folder that was there. */
    rights: Type.Optional(Rights),
    /** Permission bits of what is to be there. */
    mode: Type.Optional(Type.Integer()),
    /** Folder that stands through the whole apply: `fresh` and `old` lie in it. */
    home: Type.String(),
    /** Name under which a new content waits until its turn. */
    fresh: Type.Optional(Type.String()),
    /** Name under which the old content waits until all has succeeded. */
    old: Type.Optional(Type.String()),
  },
  strict,
);
export type Step = Static<typeof Step>;

/** Everything that an apply is going to do, on disk before it begins. */
export const Journal = Type.Object(
  {
    v: Type.Literal(1),
    run: Type.String(),
    digest: Type.String(),
    /** Real path of the target, escaped. */
    root: Type.String(),
    steps: Type.Array(Step),
  },
  strict,
);
export type Journal = Static<typeof Journal>;

const NAME = 'apply.journal';
/** Second line of the file: every path is in its end state, only the old contents are still to be removed. */
const DONE = 'done\n';

/** `apply.journal` in a run folder. While it is there, an apply of this run goes on or was cut off. */
export class JournalFile {
  readonly file: string;
  readonly #folder: string;

  /** The run folder, absolute. */
  constructor(runFolder: string) {
    this.#folder = runFolder;
    this.file = path.join(runFolder, NAME);
  }

  get exists(): boolean {
    return existsSync(this.file);
  }

  /** On disk, not only written, when this returns. @throws SandboxError `state` */
  write(journal: Journal): void {
    const temporary = `${this.file}.tmp`;
    this.#try('written', () => {
      rmSync(temporary, { force: true });
      writeDurably(temporary, 'wx', `${JSON.stringify(journal)}\n`);
      renameSync(temporary, this.file);
      syncFolder(this.#folder);
    });
  }

  /** From here on an apply that is cut off is finished, not undone. */
  markDone(): void {
    this.#try('written', () => writeDurably(this.file, 'a', DONE));
  }

  /** Undefined when there is none. @throws SandboxError `state` when it is damaged */
  read(): { readonly journal: Journal; readonly done: boolean } | undefined {
    if (!this.exists) return undefined;
    const text = this.#try('read', () => readFileSync(this.file));
    if (text.length > MAX_JOURNAL_BYTES) throw this.#damaged('it is larger than any that pi-sandbox writes');
    const [line = '', mark] = text.toString('utf8').split(/(?<=\n)/);
    let value: unknown;
    try {
      value = JSON.parse(line);
    } catch {
      throw this.#damaged('it is not JSON');
    }
    const parsed = strictParse(Journal, value);
    if (!parsed.ok) throw this.#damaged(problemText(parsed.problems));
    return { journal: parsed.value, done: mark === DONE };
  }

  remove(): void {
    rmSync(this.file, { force: true });
    syncFolder(this.#folder);
  }

  #try<T>(verb: string, work: () => T): T {
    try {
      return work();
    } catch (cause) {
      throw new SandboxError('state', `The journal ${this.file} cannot be ${verb}: ${codeOf(cause) ?? cause}.`, {
        cause,
        hint: 'Check the free space and the permissions of the state folder.',
      });
    }
  }

  #damaged(why: string): SandboxError {
    return new SandboxError('state', `The journal of an apply, ${this.file}, cannot be used: ${why}.`, {
      hint: 'Look for files that begin with ".pi-sandbox-" in the target, then remove the journal.',
    });
  }
}

/** A folder's entries reach the disk. Where the system cannot do this for folders, it is left to it. */
export function syncFolder(folder: string | number): void {
  try {
    const fd = typeof folder === 'number' ? folder : openSync(folder, 'r');
    try {
      fsyncSync(fd);
    } finally {
      if (typeof folder === 'string') closeSync(fd);
    }
  } catch (error) {
    if (!['EINVAL', 'EPERM', 'EISDIR', 'ENOTSUP', 'EBADF'].includes(codeOf(error) ?? '')) throw error;
  }
}

function writeDurably(file: string, flags: string, text: string): void {
  const fd = openSync(file, flags, 0o600);
  try {
    const bytes = Buffer.from(text);
    for (let at = 0; at < bytes.length; ) at += writeSync(fd, bytes, at);
    fsyncSync(fd);
  } finally {
    closeSync(fd);
  }
}
