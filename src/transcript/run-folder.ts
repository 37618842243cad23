import { mkdirSync, rmSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Static, TSchema } from '@sinclair/typebox';
import { messageOf, SandboxError } from '../errors.ts';
import { createFile, readJsonFile, replaceFile } from './private-file.ts';
import { checkPrivateFolder, codeOf, createPrivateFolder, ensurePrivateFolder, FOLDER_MODE } from './private-folder.ts';
import { isRunId } from './run-id.ts';
import { runsFolder } from './state-root.ts';

export { newRunId } from './run-id.ts';
export { findRun, listRuns } from './run-list.ts';
export { stateRoot } from './state-root.ts';

/** Room for a socket's path in the kernel's address structure is 104 to 108 bytes, depending on the system. */
const MAX_SOCKET_PATH_BYTES = 100;

/** `runs/<id>/` below the state root: everything that is kept of one run. Folders 0700, files 0600. */
export class RunFolder {
  readonly run: string;
  /** Absolute path. */
  readonly folder: string;

  private constructor(stateRoot: string, run: string) {
    if (!isRunId(run))
      throw new SandboxError('usage', `"${run}" is not a run id.`, { hint: 'pi-sandbox ls shows the runs.' });
    this.run = run;
    this.folder = join(runsFolder(stateRoot), run);
  }

  /**
   * Makes the folder of a new run, and the state root where needed.
   *
   * @throws SandboxError `state` when a part of the path is a link, belongs to somebody else, or is open to others
   */
  static create(stateRoot: string, run: string): RunFolder {
    const created = new RunFolder(stateRoot, run);
    checkSocketPath(created.#socketPath());
    ensureStateRoot(stateRoot);
    ensurePrivateFolder(runsFolder(stateRoot));
    if (createPrivateFolder(created.folder)) return created;
    throw new SandboxError(
      'state',
      `Cannot create the run folder ${created.folder}: there is a run with this id already.`,
    );
  }

  /** @throws SandboxError `state` when the control socket of such a run could not be opened for the length of its path */
  static checkPath(stateRoot: string, run: string): void {
    checkSocketPath(new RunFolder(stateRoot, run).#socketPath());
  }

  /** @throws SandboxError `state` as for `create`, and when there is no such run */
  static open(stateRoot: string, run: string): RunFolder {
    const opened = new RunFolder(stateRoot, run);
    for (const part of [stateRoot, runsFolder(stateRoot), opened.folder]) checkPrivateFolder(part);
    return opened;
  }

  /** Path of a file of this run; a plain name only. */
  path(name: string): string {
    if (name !== basename(name) || /^\.{0,2}$/.test(name) || name.includes('\0')) {
      throw new SandboxError('internal', `"${name}" is not a file name of a run folder.`);
    }
    return join(this.folder, name);
  }

  /** A folder in this run, made on first use. Absolute path. */
  subfolder(name: string): string {
    const path = this.path(name);
    ensurePrivateFolder(path);
    return path;
  }

  /** Atomic: readers see the old or the new value. @throws SandboxError `state` */
  writeJson(name: string, value: unknown): void {
    replaceFile(this.path(name), `${JSON.stringify(value, null, 2)}\n`);
  }

  /** As `writeJson`, but never replaces: false when there is such a file, also one that appeared at this moment. */
  createJson(name: string, value: unknown): boolean {
    return createFile(this.path(name), `${JSON.stringify(value, null, 2)}\n`);
  }

  /** Undefined when there is no such file. @throws SandboxError `state` when it is not what the schema says */
  readJson<T extends TSchema>(name: string, schema: T): Static<T> | undefined {
    return readJsonFile(this.path(name), schema);
  }

  /** Socket on which the run's controller listens. @throws SandboxError `state` when its path is too long to bind */
  get controlSocket(): string {
    const path = this.#socketPath();
    checkSocketPath(path);
    return path;
  }

  /** Removes the folder and everything in it. */
  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  #socketPath(): string {
    return join(this.folder, 'control');
  }
}

function checkSocketPath(path: string): void {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_SOCKET_PATH_BYTES) return;
  throw new SandboxError(
    'state',
    `The path of the control socket, ${path}, has ${bytes} bytes; ${MAX_SOCKET_PATH_BYTES} are possible.`,
    {
      hint: 'Set XDG_STATE_HOME to a folder with a shorter path.',
    },
  );
}

/** Makes the state root, or checks it. @throws SandboxError `state` as for `RunFolder.create` */
export function ensureStateRoot(stateRoot: string): void {
  createBase(dirname(stateRoot));
  ensurePrivateFolder(stateRoot);
}

/** `~/.local/state` or the like: the user's own choice, so it may be a link and is not checked further. */
function createBase(path: string): void {
  try {
    mkdirSync(path, { recursive: true, mode: FOLDER_MODE });
  } catch (error) {
    throw new SandboxError('state', `Cannot create ${path} to keep runs in: ${codeOf(error) ?? messageOf(error)}.`, {
      cause: error,
      hint: 'Set XDG_STATE_HOME to a folder that you can write to.',
    });
  }
}
