import { createHash } from 'node:crypto';
import { existsSync, lstatSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { messageOf, SandboxError } from '../errors.ts';
import { problemText, strictParse } from '../lib/strict-parse.ts';
import { ChangeSet } from '../protocol/changes.ts';
import { changeSetDigest } from './digest.ts';
import { MAX_CHANGE_SET_BYTES } from './limits.ts';

const FILE = 'changes.json';

/**
 * The change set of one run on disk: `changes.json`, and contents under their SHA-256. Lives in a private folder of the
 * run; everything is checked again when it is read, so that what was reviewed is what is applied.
 */
export class ChangeStore {
  /** Absolute path of a private folder that exists. */
  readonly folder: string;

  constructor(folder: string) {
    this.folder = folder;
  }

  /** Where the content with this hash lies, or would lie. */
  blobPath(sha256: string): string {
    if (!/^[0-9a-f]{64}$/.test(sha256)) throw new SandboxError('internal', `"${sha256}" is not a SHA-256.`);
    return path.join(this.folder, sha256);
  }

  hasBlob(sha256: string): boolean {
    return existsSync(this.blobPath(sha256));
  }

  /** A whole content, checked against its hash. @throws SandboxError `state` when it is missing or another */
  readBlob(sha256: string): Buffer {
    const file = this.blobPath(sha256);
    let content: Buffer;
    try {
      requireFile(file);
      content = readFileSync(file);
    } catch (cause) {
      throw new SandboxError('state', `A content of the change set cannot be read: ${file}.`, { cause });
    }
    if (createHash('sha256').update(content).digest('hex') === sha256) return content;
    throw new SandboxError(
      'state',
      `A content of the change set was altered: ${file} does not have the hash it is named after.`,
    );
  }

  /** Keeps a small content. */
  writeBlob(sha256: string, content: Uint8Array): void {
    if (!this.hasBlob(sha256)) writeFileSync(this.blobPath(sha256), content, { mode: 0o600, flag: 'wx' });
  }

  /** All at once: half of it would look like one that was altered. */
  save(set: ChangeSet): void {
    const file = path.join(this.folder, FILE);
    writeFileSync(`${file}.new`, `${JSON.stringify(set)}\n`, { mode: 0o600, flag: 'wx' });
    renameSync(`${file}.new`, file);
  }

  /** Undefined when there is none. @throws SandboxError `state` when it was altered or is not what the schema says */
  load(): ChangeSet | undefined {
    const file = path.join(this.folder, FILE);
    if (!existsSync(file)) return undefined;
    try {
      requireFile(file);
    } catch (error) {
      throw damaged(file, messageOf(error));
    }
    const text = readFileSync(file);
    if (text.length > MAX_CHANGE_SET_BYTES) throw damaged(file, 'it is larger than any that pi-sandbox writes');
    let value: unknown;
    try {
      value = JSON.parse(text.toString('utf8'));
    } catch {
      throw damaged(file, 'it is not JSON');
    }
    const parsed = strictParse(ChangeSet, value);
    if (!parsed.ok) throw damaged(file, problemText(parsed.problems));
    if (changeSetDigest(parsed.value) !== parsed.value.digest) throw damaged(file, 'its digest does not fit');
    return parsed.value;
  }

  /** Whether there is a change set; if not, contents that were collected for one are removed. */
  discardUnfinished(): boolean {
    if (existsSync(path.join(this.folder, FILE))) return true;
    this.discard();
    return false;
  }

  /** Removes the change set and all contents. */
  discard(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/** A pipe in the place of a file would hold us for ever, signals included. */
function requireFile(file: string): void {
  if (!lstatSync(file).isFile()) throw new Error('it is not a regular file');
}

function damaged(file: string, why: string): SandboxError {
  return new SandboxError('state', `The change set ${file} cannot be used: ${why}.`, {
    hint: 'Nothing was changed. Run again to get a new one.',
  });
}
