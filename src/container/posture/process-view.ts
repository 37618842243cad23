/** The files of `/proc/<pid>` that show what a process is allowed, as text. */
export interface ProcessView {
  readonly status: string;
  /** `status` of every thread; empty when they cannot be seen. */
  readonly threads: readonly string[];
  readonly limits: string;
  readonly mountinfo: string;
  readonly netDev: string;
  readonly netRoute: string;
  readonly netRoute6: string;
  /** Namespace links such as `net:[4026531840]` by name; undefined when they cannot be read. */
  readonly namespaces: Readonly<Record<string, string>> | undefined;
  /** AppArmor or SELinux label, empty when there is none. */
  readonly label: string;
}

/** Where the view came from: the host's own /proc, or a trusted process started in the container before the import. */
export type Evidence = 'host' | 'probe';

export const NAMESPACES = ['pid', 'net', 'mnt', 'ipc', 'uts', 'cgroup', 'user', 'time'] as const;

/** Value of a `Name:\tvalue` line, undefined when there is no such line. */
export function statusField(status: string, name: string): string | undefined {
  const line = status.split('\n').find((candidate) => candidate.startsWith(`${name}:`));
  return line?.slice(name.length + 1).trim();
}
