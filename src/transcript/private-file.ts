import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  linkSync,
  openSync,
  readFileSync,
  renameSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import type { Static, TSchema } from '@sinclair/typebox';
import { Errors } from '@sinclair/typebox/errors';
import { Check } from '@sinclair/typebox/value';
import { messageOf, SandboxError } from '../errors.ts';
import { codeOf, FILE_MODE } from './private-folder.ts';

/** Largest JSON file of ours that is read, bytes. */
const MAX_JSON_BYTES = 16 * 1024 * 1024;

/** Replaces a file in one step: readers see the old or the new text, never a part. Mode 0600 whatever the umask. */
export function replaceFile(path: string, text: string): void {
  writeBeside(path, text, (temporary) => renameSync(temporary, path));
}

/** As `replaceFile`, but false and nothing changed when the file exists. Of several at once, one succeeds. */
export function createFile(path: string, text: string): boolean {
  return writeBeside(path, text, (temporary) => {
    try {
      linkSync(temporary, path);
      return true;
    } catch (error) {
      if (codeOf(error) === 'EEXIST') return false;
      throw error;
    } finally {
      removeIfThere(temporary);
    }
  });
}

function writeBeside<T>(path: string, text: string, place: (temporary: string) => T): T {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    const fd = openSync(
      temporary,
      constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL | constants.O_NOFOLLOW,
      FILE_MODE,
    );
    try {
      fchmodSync(fd, FILE_MODE);
      writeFileSync(fd, text);
    } finally {
      closeSync(fd);
    }
    return place(temporary);
  } catch (error) {
    removeIfThere(temporary);
    throw new SandboxError('state', `Cannot write ${path}: ${codeOf(error) ?? String(error)}.`, {
      cause: error,
      hint: 'Check the free space and the permissions of the state folder.',
    });
  }
}

/** Undefined when there is no such file. @throws SandboxError `state` when it is not what the schema says */
export function readJsonFile<T extends TSchema>(path: string, schema: T): Static<T> | undefined {
  const text = readOwnFile(path);
  if (text === undefined) return undefined;
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (error) {
    throw new SandboxError('state', `${path} is damaged: ${messageOf(error)}.`, { cause: error });
  }
  if (Check(schema, value)) return value;
  const first = Errors(schema, value).First();
  throw new SandboxError('state', `${path} is damaged: ${first?.message ?? 'wrong shape'} at "${first?.path ?? ''}".`);
}

/** The text of a regular file, never through a link; undefined when there is none. */
export function readOwnFile(path: string): string | undefined {
  let fd: number;
  try {
    fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw new SandboxError('state', `Cannot read ${path}: ${codeOf(error) ?? String(error)}.`, { cause: error });
  }
  try {
    const stats = fstatSync(fd);
    if (!stats.isFile()) throw new SandboxError('state', `Cannot read ${path}: it is not a regular file.`);
    if (stats.size > MAX_JSON_BYTES)
      throw new SandboxError('state', `Cannot read ${path}: it is larger than ${MAX_JSON_BYTES} bytes.`);
    return readFileSync(fd, 'utf8');
  } finally {
    closeSync(fd);
  }
}

function removeIfThere(path: string): void {
  try {
    unlinkSync(path);
  } catch {
    // The write failed before there was a file; the first error is the one to report.
  }
}
