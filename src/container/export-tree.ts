import { SandboxError } from '../errors.ts';
import { MiB } from '../lib/bytes.ts';
import { withDeadline } from '../lib/deadline.ts';
import { demux } from './demux.ts';
import type { Engine } from './engine.ts';
import { execExit } from './exec-exit.ts';
import { OWN_ENV } from './run-exec.ts';
import { StderrTail } from './stderr-tail.ts';

/** Longest wait for the next bytes of the archive, milliseconds. Reading what agents leave behind is never this slow. */
const IDLE_MS = 60_000;
/** For the whole archive, milliseconds: an agent that keeps bytes coming must not keep a run from its end. */
const ALL_MS = 30 * 60_000;
/** Of what tar complains about, bytes. */
const MAX_COMPLAINTS = 2 * MiB;

/**
 * What the agent made unreadable for itself is made readable first, as far as the image has a find: those bits are not
 * handed back, and a recursive chmod would take as long as the reading. Hard links come as files, names in complaints
 * are escaped, and of everything called `.git` only the root's is left out.
 *
 * What lies deeper than $2 matches is not read: names grow with the depth, so that a deep tree, made in a second, would
 * be an archive of terabytes. Patterns are with a wildcard because tar looks up plain ones once for each folder above a
 * name, and spends hours on a depth of thousands.
 */
const EXPORT = `
[[ -d $1 && ! -L $1 ]] || { echo "the workspace is no folder any more" >&2; exit 2; }
/usr/bin/find "$1" -type d ! -perm -500 -exec /bin/chmod u+rx {} ';' \
  -o -type f ! -perm -400 -exec /bin/chmod u+r {} + 2>/dev/null
exec /bin/tar -c -f - --format=gnu --hard-dereference --numeric-owner --quoting-style=escape \\
  --anchored --wildcards '--exclude=./.gi[t]' --no-wildcards-match-slash --exclude="$2" -C "$1" .`;

export interface ExportedTree {
  /** The archive; fails when its end is not in sight any more. Nothing is read ahead of who takes it. */
  readonly archive: AsyncIterable<Buffer>;
  /** How tar ended; ask when the archive was read to its end. */
  readonly exit: () => Promise<{ readonly exitCode: number; readonly stderr: string }>;
  readonly close: () => void;
}

/**
 * Starts to read a folder of the container as a tar archive, as its owner. Every process of that user must have ended
 * before, or it could write into the archive. Rejects with SandboxError `engine`.
 */
export async function exportTree(source: {
  readonly engine: Engine;
  readonly container: string;
  /** Owner of the folder. */
  readonly uid: number;
  readonly path: string;
  /** Entries with more parts in their path are left out, below the root. */
  readonly maxParts: number;
}): Promise<ExportedTree> {
  const { engine, container, uid, path, maxParts } = source;
  const exec = await engine.createExec(container, {
    user: `${uid}:${uid}`,
    workingDir: '/',
    env: OWN_ENV,
    cmd: ['/bin/bash', '-c', EXPORT, 'export', path, `.${'/*'.repeat(maxParts + 1)}`],
    stdin: false,
  });
  const socket = await engine.startExec(exec, false);
  const { stdout, stderr, done } = demux(socket);
  const complaints = new StderrTail(stderr, MAX_COMPLAINTS);
  return {
    archive: withIdleLimit(stdout),
    exit: async () => {
      // Complaints come on the same connection, so that its end is theirs too.
      await withDeadline('the end of the export', IDLE_MS, done);
      const code = await execExit(engine, exec);
      if (code === null) throw new SandboxError('engine', 'The engine does not say how the export ended.');
      const cut = complaints.bytes > MAX_COMPLAINTS ? 'complaints were cut\n' : '';
      return { exitCode: code, stderr: cut + complaints.text };
    },
    close: () => void socket.destroy(),
  };
}

async function* withIdleLimit(stream: AsyncIterable<Buffer>): AsyncGenerator<Buffer, void> {
  const chunks = stream[Symbol.asyncIterator]();
  const until = performance.now() + ALL_MS;
  try {
    for (;;) {
      const next = await withDeadline(
        'waiting for more of the archive',
        Math.max(0, Math.min(IDLE_MS, until - performance.now())),
        chunks.next(),
      );
      if (next.done === true) return;
      yield next.value;
    }
  } finally {
    // Not awaited: a stream that hangs does not end either.
    void chunks.return?.();
  }
}
