import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as delay } from 'node:timers/promises';

/** A process as the host sees it. */
export interface HostProcess {
  readonly pid: number;
  /** Real user id on the host. */
  readonly uid: number;
  /** As in /proc: R, S, D, T, Z and so on. */
  readonly state: string;
  /** Arguments joined by blanks; empty for zombies. */
  readonly command: string;
}

const POLL_MS = 20;

/** All processes whose control group belongs to this container, whatever user they have. Needs an engine on this machine. */
export function processesOf(container: string): HostProcess[] {
  if (!/^[0-9a-f]{64}$/.test(container)) throw new Error(`not a container id: ${container}`);
  return readdirSync('/proc').flatMap((name) => {
    const pid = Number(name);
    if (!Number.isInteger(pid)) return [];
    try {
      if (!readFileSync(`/proc/${pid}/cgroup`, 'latin1').includes(container)) return [];
      const status = readFileSync(`/proc/${pid}/status`, 'latin1');
      const command = readFileSync(`/proc/${pid}/cmdline`, 'latin1').split('\0').join(' ').trim();
      return [{ pid, uid: Number(field(status, 'Uid')), state: field(status, 'State'), command }];
    } catch {
      // It ended between two looks.
      return [];
    }
  });
}

function field(status: string, name: string): string {
  return new RegExp(`^${name}:\\s+(\\S+)`, 'm').exec(status)?.[1] ?? '';
}

/** Looks until `check` gives something, and says how long that took; rejects with what was seen last. */
export async function eventually<T>(
  what: string,
  limitMs: number,
  check: () => T | undefined | false | Promise<T | undefined | false>,
  seen: () => unknown = () => '',
): Promise<{ value: T; ms: number }> {
  const started = performance.now();
  for (;;) {
    const value = await check();
    const ms = Math.round(performance.now() - started);
    if (value !== undefined && value !== false) return { value, ms };
    if (ms > limitMs) throw new Error(`Not within ${limitMs} ms: ${what}. ${JSON.stringify(seen())}`);
    await delay(POLL_MS);
  }
}

/** Settles when nothing of the container runs any more; with how long that took, milliseconds. */
export async function allGone(container: string, limitMs: number): Promise<number> {
  const { ms } = await eventually(
    `no process of container ${container.slice(0, 12)} is left`,
    limitMs,
    () => processesOf(container).length === 0,
    () => processesOf(container),
  );
  return ms;
}
