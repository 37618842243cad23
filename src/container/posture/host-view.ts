import { readdir, readFile, readlink } from 'node:fs/promises';
import { NAMESPACES, type ProcessView } from './process-view.ts';

/** Reads a process of the container from the host. Rejects when the host may not look. */
export async function hostView(pid: number): Promise<ProcessView> {
  const read = (file: string) => readFile(`/proc/${pid}/${file}`, 'utf8');
  const [status, limits, mountinfo, netDev, netRoute, netRoute6, label, namespaces, threads] = await Promise.all([
    read('status'),
    read('limits'),
    read('mountinfo'),
    read('net/dev'),
    read('net/route'),
    read('net/ipv6_route').catch(() => ''),
    read('attr/current').catch(() => ''),
    readNamespaces(pid),
    readThreads(pid),
  ]);
  return { status, threads, limits, mountinfo, netDev, netRoute, netRoute6, namespaces, label: label.trim() };
}

/** Namespaces of this controller, to compare with. */
export function ownNamespaces(): Promise<Record<string, string>> {
  return readNamespaces('self');
}

async function readNamespaces(pid: number | 'self'): Promise<Record<string, string>> {
  const links = await Promise.all(
    NAMESPACES.map(async (name) => [name, await readlink(`/proc/${pid}/ns/${name}`).catch(() => '')] as const),
  );
  const known = links.filter(([, link]) => link !== '');
  if (known.length === 0) throw new Error(`the namespaces of process ${pid} cannot be read`);
  return Object.fromEntries(known);
}

async function readThreads(pid: number): Promise<string[]> {
  const ids = await readdir(`/proc/${pid}/task`);
  const read = ids.map((id) => readFile(`/proc/${pid}/task/${id}/status`, 'utf8').catch(() => ''));
  // A thread may end between the listing and the read.
  return (await Promise.all(read)).filter((status) => status !== '');
}

/** Whether this process id, seen from here, belongs to the container: the engine may run in another machine. */
export async function isOurs(pid: number, container: string): Promise<boolean> {
  if (pid <= 0) return false;
  const cgroup = await readFile(`/proc/${pid}/cgroup`, 'utf8').catch(() => '');
  return cgroup.includes(container);
}
