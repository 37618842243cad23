import { GUEST } from '../protocol/guest.ts';
import type { ContainerPlan, TmpfsPlan } from '../protocol/plan.ts';
import { EGRESS_ARGUMENT } from '../protocol/wire.ts';
import { MASKED_PATHS, READONLY_PATHS } from './proc-paths.ts';
import { seccompProfile } from './seccomp.ts';

/** The body of the engine's create call: every field that matters is present, none is left to a default. */
export type ContainerSpec = ReturnType<typeof containerSpec>;

const NANO = 1_000_000_000;

/**
 * What the engine is asked to create. The reasons are in docs/security.md, field by field; the posture check reads
 * each of them back before anything untrusted enters.
 */
export function containerSpec(plan: ContainerPlan) {
  return {
    Image: plan.image,
    Hostname: 'sandbox',
    Domainname: '',
    User: `${plan.bridgeUid}:${plan.bridgeUid}`,
    WorkingDir: '/',
    // Not the engine's init: some engines have none, and this one is part of the image that was checked.
    Entrypoint: [GUEST.tini, '--', GUEST.node, GUEST.bridge],
    Cmd: plan.egress ? [EGRESS_ARGUMENT] : ([] as string[]),
    // A terminal would merge the two output streams and open /dev/console.
    Tty: false,
    // The dead-man switch: when the controller's connection goes, stdin ends and the bridge with it.
    OpenStdin: true,
    StdinOnce: true,
    AttachStdin: true,
    AttachStdout: true,
    AttachStderr: true,
    // Inherited by every exec and shown by inspect: never a secret.
    Env: ['HOME=/nonexistent', 'PATH=/usr/local/bin:/usr/bin:/bin'],
    Volumes: {},
    ExposedPorts: {},
    StopSignal: 'SIGKILL',
    StopTimeout: 1,
    Healthcheck: { Test: ['NONE'] },
    Labels: { ...plan.labels },
    // Beside NetworkMode none: the engine then skips a hook that costs a tenth of a second.
    NetworkDisabled: plan.networkDisabled,
    HostConfig: {
      NetworkMode: 'none',
      ReadonlyRootfs: true,
      Privileged: false,
      Init: false,
      AutoRemove: false,
      CapDrop: ['ALL'],
      CapAdd: [] as string[],
      SecurityOpt: ['no-new-privileges:true', `seccomp=${seccompProfile()}`],
      IpcMode: 'none',
      CgroupnsMode: 'private',
      PidMode: '',
      UTSMode: '',
      UsernsMode: '',
      GroupAdd: [] as string[],
      PidsLimit: plan.pids,
      Memory: plan.memory,
      MemorySwap: plan.memory,
      NanoCpus: Math.round(plan.bootCpus * NANO),
      OomKillDisable: false,
      Ulimits: ulimits(plan),
      Tmpfs: Object.fromEntries(plan.tmpfs.map((mount) => [mount.path, tmpfsOptions(mount)])),
      Binds: [] as string[],
      Mounts: mounts(plan),
      VolumesFrom: [] as string[],
      Devices: [] as string[],
      DeviceRequests: [] as string[],
      DeviceCgroupRules: [] as string[],
      Dns: ['127.0.0.1'],
      DnsSearch: ['.'],
      DnsOptions: [] as string[],
      ExtraHosts: [] as string[],
      Links: [] as string[],
      PortBindings: {},
      PublishAllPorts: false,
      // The default driver writes everything the container prints to the host's disk.
      LogConfig: { Type: 'none', Config: {} },
      RestartPolicy: { Name: 'no', MaximumRetryCount: 0 },
      MaskedPaths: [...MASKED_PATHS],
      ReadonlyPaths: [...READONLY_PATHS],
      ...(plan.runtime === undefined ? {} : { Runtime: plan.runtime }),
    },
  };
}

/** Resource limits of every process in the container. Not `nproc`: it counts per user id on the whole host. */
export function ulimits(plan: ContainerPlan): { Name: string; Soft: number; Hard: number }[] {
  const limit = (Name: string, value: number) => ({ Name, Soft: value, Hard: value });
  return [
    limit('nofile', plan.openFiles),
    limit('fsize', plan.fileSize),
    limit('core', 0),
    limit('memlock', 0),
    limit('msgqueue', 0),
    limit('rtprio', 0),
    limit('nice', 0),
  ];
}

function tmpfsOptions(mount: TmpfsPlan): string {
  return [
    mount.readOnly ? 'ro' : 'rw',
    mount.exec ? 'exec' : 'noexec',
    'nosuid',
    'nodev',
    `size=${mount.size}`,
    `nr_inodes=${mount.inodes}`,
    ...(mount.uid === undefined ? [] : [`uid=${mount.uid}`, `gid=${mount.uid}`]),
    `mode=${mount.mode}`,
  ].join(',');
}

function mounts(plan: ContainerPlan): {
  Type: string;
  Source: string;
  Target: string;
  ReadOnly?: boolean;
  BindOptions?: { Propagation: string; NonRecursive: boolean };
}[] {
  if (plan.volume !== undefined) {
    return [{ Type: 'volume', Source: plan.volume.name, Target: plan.volume.target }];
  }
  if (plan.bind === undefined) return [];
  // A structured mount takes any path; `source:target:ro` breaks on colons. Not recursive: what is mounted below
  // the repository would stay writable on engines that cannot make a whole tree read-only.
  return [
    {
      Type: 'bind',
      Source: plan.bind.source,
      Target: plan.bind.target,
      ReadOnly: true,
      BindOptions: { Propagation: 'rprivate', NonRecursive: true },
    },
  ];
}
