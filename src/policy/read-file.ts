import { constants, type Stats } from 'node:fs';
import { type FileHandle, open } from 'node:fs/promises';
import { messageOf, SandboxError } from '../errors.ts';
import { KiB } from '../lib/bytes.ts';
import { formatBytes } from '../lib/format.ts';

/** Largest policy file, bytes. The time to check one grows faster than its length. */
export const MAX_POLICY_BYTES = 128 * KiB;
const WRITABLE_BY_OTHERS = 0o022;

export interface PolicyBytes {
  readonly bytes: Buffer;
  /** Why a run does not take it although it can be read: somebody else could change it. */
  readonly unsafe?: SandboxError;
}

/** Reads a policy file without waiting for anything. @throws SandboxError `policy`, that names it as `shown` */
export async function readPolicyBytes(path: string, shown: string): Promise<PolicyBytes> {
  await using handle = await opened(path, shown);
  const stats = await handle.stat();
  if (stats.isDirectory()) {
    throw new SandboxError('policy', `The policy ${shown} cannot be read: it is a folder.`, {
      hint: 'Name the file itself.',
    });
  }
  if (!stats.isFile()) throw unreadable(shown, 'it is not a regular file');
  if (stats.size > MAX_POLICY_BYTES) throw tooLarge(shown);
  const buffer = Buffer.alloc(MAX_POLICY_BYTES + 1);
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, length).catch((error: unknown) => {
      throw unreadable(shown, messageOf(error));
    });
    if (bytesRead === 0) break;
    length += bytesRead;
  }
  if (length > MAX_POLICY_BYTES) throw tooLarge(shown);
  const unsafe = unsafeBy(stats, shown);
  return { bytes: buffer.subarray(0, length), ...(unsafe === undefined ? {} : { unsafe }) };
}

async function opened(path: string, shown: string): Promise<FileHandle> {
  try {
    // Does not wait for the other end of a FIFO.
    return await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
  } catch (error) {
    const code = error instanceof Error && 'code' in error ? error.code : undefined;
    if (code === 'ENOENT' || code === 'ENOTDIR') {
      throw new SandboxError('policy', `The policy ${shown} does not exist.`, {
        hint: 'Relative names start at the current folder. docs/policy.md says what goes into such a file.',
      });
    }
    throw unreadable(shown, code === 'EACCES' ? 'permission is denied' : `the system says ${String(code)}`);
  }
}

/** Who can write to the file decides what the agent may do. */
function unsafeBy({ uid, mode }: Stats, shown: string): SandboxError | undefined {
  if (uid !== 0 && uid !== process.geteuid?.()) {
    return new SandboxError('policy', `The policy ${shown} belongs to user id ${uid}, neither to you nor to root.`, {
      hint: 'Make a copy of it that is yours.',
    });
  }
  if ((mode & WRITABLE_BY_OTHERS) === 0) return undefined;
  return new SandboxError(
    'policy',
    `Others than you may write to the policy ${shown} (mode ${(mode & 0o777).toString(8)}).`,
    { hint: `Run chmod go-w on it.` },
  );
}

function tooLarge(shown: string): SandboxError {
  return unreadable(shown, `it has more than ${formatBytes(MAX_POLICY_BYTES)}`);
}

function unreadable(shown: string, why: string): SandboxError {
  return new SandboxError('policy', `The policy ${shown} cannot be read: ${why}.`);
}
