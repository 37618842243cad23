import { randomBytes } from 'node:crypto';
import { type FileHandle, open, realpath, rename, stat, unlink, writeFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, SandboxError } from '../../errors.ts';
import { JsonSyntaxError, parseLenientJson } from '../../lib/lenient-json.ts';
import { readFileWithin } from '../../lib/read-file.ts';
import { AuthLock } from './auth-lock.ts';

/** All entries of the file, whatever is in them. */
export type AuthEntries = Readonly<Record<string, unknown>>;

/** pi's own has a few hundred bytes for each login. */
const MAX_BYTES = 1 << 20;
/** Room that a new credential may need beyond the file as it is, bytes. */
const SPARE_BYTES = 64 << 10;
/** pi writes the file in place; a moment later what was half is whole. */
const HALF_WRITTEN_MS = 50;
const BOM = '\uFEFF';

/** pi's `auth.json`. It is written by pi as well, so it is read anew each time. */
export class AuthFile {
  readonly path: string;
  readonly #check: (path: string) => Promise<void>;

  /** `check` rejects when this file must not be read. */
  constructor(path: string, check: (path: string) => Promise<void> = async () => {}) {
    this.path = path;
    this.#check = check;
  }

  /** Empty when there is no file. Rejects with SandboxError `model`. */
  async read(): Promise<AuthEntries> {
    const text = await this.text();
    if (text === undefined) return {};
    const entries = entriesOf(text);
    if (entries !== undefined) return entries;
    try {
      await using _lock = await AuthLock.take(this.path);
      return await this.readLocked();
    } catch (error) {
      if (error instanceof SandboxError) throw error;
      // A folder that is read-only for us has no lock.
      await delay(HALF_WRITTEN_MS);
      return await this.readLocked();
    }
  }

  /** As `read`, when nobody else writes. */
  async readLocked(): Promise<AuthEntries> {
    const text = await this.text();
    if (text === undefined || text.trim() === '') return {};
    const entries = entriesOf(text);
    if (entries !== undefined) return entries;
    throw new SandboxError('model', `pi's logins in ${this.path} cannot be read: ${problemOf(text)}.`, {
      hint: 'Correct the file, or move it away and log in with pi again.',
    });
  }

  async text(): Promise<string | undefined> {
    try {
      await stat(this.path);
    } catch (error) {
      if (error instanceof Error && 'code' in error && (error.code === 'ENOENT' || error.code === 'ENOTDIR'))
        return undefined;
    }
    await this.#check(this.path);
    try {
      const text = (await readFileWithin(this.path, MAX_BYTES)).toString('utf8');
      return text.startsWith(BOM) ? text.slice(1) : text;
    } catch (error) {
      throw new SandboxError('model', `pi's logins in ${this.path} cannot be read: ${messageOf(error)}.`, {
        cause: error,
        hint: 'Make the file readable for you.',
      });
    }
  }

  /**
   * Makes sure that a new content can be written before anything depends on it: a login that was renewed and cannot be kept is
   * lost. Only under the lock.
   */
  async reserve(): Promise<AuthReplacement> {
    const target = await realpath(this.path);
    const { mode, uid, gid, size } = await stat(target);
    const aside = `${target}.${randomBytes(6).toString('hex')}.tmp`;
    const handle = await open(aside, 'wx', 0o600);
    const replacement = new AuthReplacement(target, aside, handle);
    try {
      // Another owner only where we may do that; as somebody else's file it would not have been readable.
      await handle.chown(uid, gid).catch(() => {});
      await handle.chmod(mode & 0o777);
      await writeAll(handle, Buffer.alloc(size + SPARE_BYTES));
      await handle.datasync();
      return replacement;
    } catch (error) {
      await replacement[Symbol.asyncDispose]();
      throw error;
    }
  }
}

/** A file that waits to take the place of another, with its owner and mode. */
export class AuthReplacement implements AsyncDisposable {
  readonly #target: string;
  readonly #aside: string;
  readonly #handle: FileHandle;
  #only = false;

  constructor(target: string, aside: string, handle: FileHandle) {
    this.#target = target;
    this.#aside = aside;
    this.#handle = handle;
  }

  /** All or nothing: whoever reads meanwhile sees the old content or the new one. */
  async write(entries: AuthEntries): Promise<void> {
    const content = Buffer.from(JSON.stringify(entries, null, 2));
    // Over what is reserved: room that is given back first may be gone by now.
    await writeAll(this.#handle, content);
    await this.#handle.truncate(content.length);
    await this.#handle.sync();
    try {
      await rename(this.#aside, this.#target);
    } catch (error) {
      // A file that is a mount of its own cannot be replaced.
      if (!(error instanceof Error && 'code' in error && (error.code === 'EBUSY' || error.code === 'EXDEV')))
        throw error;
      await this.#writeInPlace(content);
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#handle.close().catch(() => {});
    if (!this.#only) await unlink(this.#aside).catch(() => {});
  }

  /** The one way that can leave half a file: then what waited aside stays, as the only whole one. */
  async #writeInPlace(content: Buffer): Promise<void> {
    this.#only = true;
    try {
      await writeFile(this.#target, content, { flush: true });
    } catch (error) {
      throw new Error(`${messageOf(error)}; all logins are in ${this.#aside}`, { cause: error });
    }
    this.#only = false;
  }
}

/** A disk that becomes full takes a part without an error, and refuses the rest. */
async function writeAll(handle: FileHandle, bytes: Buffer): Promise<void> {
  for (let at = 0; at < bytes.length; ) at += (await handle.write(bytes, at, bytes.length - at, at)).bytesWritten;
}

function entriesOf(text: string): AuthEntries | undefined {
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as AuthEntries;
  } catch {}
  return undefined;
}

function problemOf(text: string): string {
  try {
    const { value } = parseLenientJson(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? 'it has comments or a comma too many, which pi does not take here'
      : 'it is not an object';
  } catch (error) {
    if (!(error instanceof JsonSyntaxError)) throw error;
    return `line ${error.line}, column ${error.column}: ${error.message}`;
  }
}
