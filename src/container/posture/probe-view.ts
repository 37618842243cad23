import { SandboxError } from '../../errors.ts';
import type { Engine } from '../engine.ts';
import { runExec } from '../run-exec.ts';
import { NAMESPACES, type ProcessView } from './process-view.ts';

const FILES = ['status', 'limits', 'mountinfo', 'net/dev', 'net/route', 'net/ipv6_route', 'attr/current'] as const;
const MARK = '\u0001';
const MAX_BYTES = 1024 * 1024;
const DEADLINE_MS = 10_000;

/**
 * Reads a process of the container from inside, where the host's /proc is out of reach (a remote engine, one in a
 * virtual machine, a user without the right). Weaker evidence: it comes through the engine and the image, so it is
 * taken before anything untrusted enters. `pid` is an id inside the container.
 */
export async function probeView(
  engine: Engine,
  container: string,
  uid: number,
  pid: '1' | 'self',
): Promise<ProcessView> {
  const script =
    `for f in ${FILES.join(' ')}; do printf '${MARK}%s\\n' "$f"; /bin/cat /proc/${pid}/$f 2>/dev/null; done; ` +
    `for n in ${NAMESPACES.join(' ')}; do printf '${MARK}ns/%s\\n%s' "$n" "$(/usr/bin/readlink /proc/${pid}/ns/$n)"; done`;
  const result = await runExec(engine, container, {
    uid,
    // One cat per file, started by a shell whose own entries differ only in name from those of pi.
    cmd: ['/bin/bash', '-c', script],
    maxBytes: MAX_BYTES,
    deadlineMs: DEADLINE_MS,
  });
  const parts = new Map(
    result.stdout
      .toString('utf8')
      .split(MARK)
      .slice(1)
      .map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1)] as const),
  );
  const part = (name: (typeof FILES)[number]) => parts.get(name) ?? '';
  const namespaces = NAMESPACES.map((name) => [name, parts.get(`ns/${name}`)?.trim() ?? ''] as const);
  if (part('status') === '' || part('mountinfo') === '') {
    throw new SandboxError('posture', `The container's own view of process ${pid} cannot be read.`);
  }
  return {
    status: part('status'),
    threads: [],
    limits: part('limits'),
    mountinfo: part('mountinfo'),
    netDev: part('net/dev'),
    netRoute: part('net/route'),
    netRoute6: part('net/ipv6_route'),
    namespaces: Object.fromEntries(namespaces.filter(([, link]) => link !== '')),
    label: part('attr/current').trim(),
  };
}
