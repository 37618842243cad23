import type { ContainerSpec } from '../../plan/container-spec.ts';
import { compare, type Finding } from './finding.ts';
import { type ProcessView, statusField } from './process-view.ts';

type Seen = Finding['seen'];

/** `/proc/<pid>/limits` lines by the names of the create call. */
const LIMIT_LINES: Readonly<Record<string, string>> = {
  nofile: 'Max open files',
  fsize: 'Max file size',
  core: 'Max core file size',
  memlock: 'Max locked memory',
  msgqueue: 'Max msgqueue size',
  rtprio: 'Max realtime priority',
  nice: 'Max nice priority',
};

/** Namespaces that must not be the host's. `user` and `time` are shared unless the engine is set up otherwise. */
const OWN_NAMESPACES = ['pid', 'net', 'mnt', 'ipc', 'uts', 'cgroup'] as const;

/** Checks one process of the container against the plan: identity, privileges, limits, namespaces, network. */
export function checkProcess(
  view: ProcessView,
  spec: ContainerSpec,
  uid: number,
  seen: Seen,
  controller: Readonly<Record<string, string>> | undefined,
): Finding[] {
  return [
    ...[view.status, ...view.threads].flatMap((status) => checkStatus(status, uid, seen)),
    ...checkLimits(view.limits, spec, seen),
    ...checkNamespaces(view, seen, controller),
    ...checkNetwork(view, seen),
  ];
}

function checkStatus(status: string, uid: number, seen: Seen): Finding[] {
  const field = (name: string) => statusField(status, name);
  const ids = Array(4).fill(String(uid)).join('\t');
  const groups = (field('Groups') ?? '').split(/\s+/).filter((group) => group !== '' && group !== String(uid));
  return [
    ...compare('User', seen, ids, field('Uid')),
    ...compare('User', seen, ids, field('Gid')),
    ...compare('GroupAdd', seen, [], groups),
    ...['CapInh', 'CapPrm', 'CapEff', 'CapBnd', 'CapAmb'].flatMap((set) =>
      compare('CapDrop', seen, `${set} ${'0'.repeat(16)}`, `${set} ${field(set)}`),
    ),
    ...compare('SecurityOpt.no-new-privileges', seen, '1', field('NoNewPrivs')),
    ...compare('SecurityOpt.seccomp', seen, '2', field('Seccomp')),
  ];
}

function checkLimits(limits: string, spec: ContainerSpec, seen: Seen): Finding[] {
  return spec.HostConfig.Ulimits.flatMap(({ Name, Soft, Hard }) => {
    const line = limits.split('\n').find((candidate) => candidate.startsWith(LIMIT_LINES[Name] ?? '?'));
    const values = line?.slice(LIMIT_LINES[Name]?.length).trim().split(/\s+/).slice(0, 2);
    return compare(`Ulimits.${Name}`, seen, [String(Soft), String(Hard)], values);
  });
}

function checkNamespaces(
  view: ProcessView,
  seen: Seen,
  controller: Readonly<Record<string, string>> | undefined,
): Finding[] {
  const { namespaces } = view;
  if (namespaces === undefined || controller === undefined) return [];
  const fields = {
    pid: 'PidMode',
    net: 'NetworkMode',
    mnt: 'MountNamespace',
    ipc: 'IpcMode',
    uts: 'UTSMode',
    cgroup: 'CgroupnsMode',
  };
  return OWN_NAMESPACES.flatMap((name) =>
    namespaces[name] !== undefined && namespaces[name] !== controller[name]
      ? []
      : [{ field: fields[name], seen, expected: `own ${name} namespace`, actual: 'the namespace of the host' }],
  );
}

function checkNetwork(view: ProcessView, seen: Seen): Finding[] {
  const interfaces = view.netDev
    .split('\n')
    .slice(2)
    .map((line) => line.split(':')[0]?.trim() ?? '')
    .filter((name) => name !== '');
  const routes = view.netRoute
    .split('\n')
    .slice(1)
    .filter((line) => line.trim() !== '').length;
  const routes6 = view.netRoute6.split('\n').filter((line) => line.trim() !== '' && !/\slo$/.test(line)).length;
  return [
    ...compare('NetworkMode', seen, ['lo'], interfaces),
    ...compare('NetworkMode', seen, '0 routes', `${routes} routes`),
    ...compare('NetworkMode', seen, '0 IPv6 routes', `${routes6} IPv6 routes`),
  ];
}
