import type { ContainerSpec } from '../../plan/container-spec.ts';
import { compare, type Finding } from './finding.ts';

interface Mount {
  readonly root: string;
  readonly point: string;
  readonly options: readonly string[];
  readonly type: string;
  readonly superOptions: readonly string[];
}

/** Folders and files that engines mount read-only by themselves, with the types that may be there. */
const ENGINE_MOUNTS: readonly { readonly point: RegExp; readonly type: RegExp }[] = [
  { point: /^\/sys$/, type: /^sysfs$/ },
  { point: /^\/sys\/fs\/cgroup(\/|$)/, type: /^(cgroup2?|tmpfs)$/ },
  // Name service files that the engine makes for each container.
  { point: /^\/etc\/(hosts|hostname|resolv\.conf)$/, type: /./ },
];

/** Kernel file systems that engines mount writable; the parts that matter are covered by masked and read-only paths. */
const KERNEL_MOUNTS: ReadonlyMap<string, string> = new Map([
  ['/proc', 'proc'],
  ['/dev', 'tmpfs'],
  ['/dev/pts', 'devpts'],
]);

/**
 * Checks the mount table of a process: what is writable, how large it may grow, and what must be covered.
 * `kernelPaths` are those of the paths to mask or to protect that exist in this kernel.
 */
export function checkMounts(
  mountinfo: string,
  spec: ContainerSpec,
  kernelPaths: ReadonlySet<string>,
  seen: Finding['seen'],
): Finding[] {
  const mounts = topMost(parseMountinfo(mountinfo));
  const tmpfs = spec.HostConfig.Tmpfs;
  const root = mounts.find((mount) => mount.point === '/');
  return [
    ...compare('ReadonlyRootfs', seen, 'ro', root?.options.includes('ro') ? 'ro' : 'rw'),
    ...Object.entries(tmpfs).flatMap(([point, options]) => checkTmpfs(mounts, point, options, seen)),
    ...spec.HostConfig.Mounts.flatMap(({ Target, ReadOnly }) => {
      const mount = at(mounts, Target);
      const found = mount && `${Target} ${mount.options.includes('ro') ? 'ro' : 'rw'}`;
      return compare('Mounts', seen, `${Target} ${ReadOnly ? 'ro' : 'rw'}`, found);
    }),
    ...mounts.flatMap((mount) => checkUnexpected(mount, spec, seen)),
    // A path that this kernel does not have cannot be covered and need not be.
    ...spec.HostConfig.ReadonlyPaths.filter((path) => kernelPaths.has(path)).flatMap((path) =>
      compare('ReadonlyPaths', seen, `${path} ro`, `${path} ${at(mounts, path)?.options.includes('ro') ? 'ro' : 'rw'}`),
    ),
    ...checkMasks(mounts, spec, kernelPaths, seen),
  ];
}

function checkTmpfs(mounts: readonly Mount[], point: string, options: string, seen: Finding['seen']): Finding[] {
  const mount = at(mounts, point);
  if (mount?.type !== 'tmpfs') return compare(`Tmpfs.${point}`, seen, 'tmpfs', mount?.type);
  const wanted = optionMap(options.split(','));
  const actual = optionMap([...mount.superOptions, ...mount.options]);
  const flag = (name: string) => compare(`Tmpfs.${point}`, seen, wanted.has(name), mount.options.includes(name));
  return [
    ...flag('ro'),
    ...flag('noexec'),
    ...flag('nosuid'),
    ...flag('nodev'),
    ...compare(`Tmpfs.${point}`, seen, `size=${Number(wanted.get('size')) / 1024}k`, `size=${actual.get('size')}`),
    ...compare(
      `Tmpfs.${point}`,
      seen,
      `nr_inodes=${wanted.get('nr_inodes')}`,
      `nr_inodes=${inodes(actual.get('nr_inodes'))}`,
    ),
    ...compare(`Tmpfs.${point}`, seen, `uid=${wanted.get('uid') ?? 0}`, `uid=${actual.get('uid') ?? 0}`),
    // The kernel leaves the mode out of the table when it is the default of a tmpfs.
    ...compare(
      `Tmpfs.${point}`,
      seen,
      `mode=${wanted.get('mode')?.replace(/^0/, '')}`,
      `mode=${actual.get('mode') ?? '1777'}`,
    ),
  ];
}

function optionMap(options: readonly string[]): Map<string, string | undefined> {
  return new Map(
    options.map((option) => {
      const [name = '', value] = option.split('=');
      return [name, value];
    }),
  );
}

/** The kernel shows counts that are whole multiples of 1024 with a k. */
function inodes(text: string | undefined): string | undefined {
  return text?.endsWith('k') ? String(Number(text.slice(0, -1)) * 1024) : text;
}

/** Anything mounted that nobody asked for: a volume of the image, or what an engine adds from the host. */
function checkUnexpected(mount: Mount, spec: ContainerSpec, seen: Finding['seen']): Finding[] {
  const { point, type, options } = mount;
  const { Tmpfs, Mounts, MaskedPaths, ReadonlyPaths } = spec.HostConfig;
  if (point === '/' || point in Tmpfs || Mounts.some(({ Target }) => Target === point)) return [];
  if (KERNEL_MOUNTS.get(point) === type || MaskedPaths.includes(point)) return [];
  if (options.includes('ro')) {
    const usual = ENGINE_MOUNTS.some((known) => known.point.test(point) && known.type.test(type));
    if (usual || ReadonlyPaths.includes(point)) return [];
    return compare('Mounts', seen, undefined, `${point} is mounted (${type})`);
  }
  // The folder that holds version 1 control groups, themselves read-only; only uid 0 could write, and none is there.
  if (point === '/sys/fs/cgroup' && mount.superOptions.includes('mode=755')) return [];
  return compare('Mounts', seen, undefined, `${point} is writable (${type})`);
}

/** A path to mask must be the null device, or an empty read-only folder; also where it was not in the kernel's list. */
function checkMasks(
  mounts: readonly Mount[],
  spec: ContainerSpec,
  kernelPaths: ReadonlySet<string>,
  seen: Finding['seen'],
): Finding[] {
  return spec.HostConfig.MaskedPaths.flatMap((path) => {
    const mount = at(mounts, path);
    if (mount === undefined)
      return kernelPaths.has(path) ? compare('MaskedPaths', seen, `${path} covered`, undefined) : [];
    const nullDevice = mount.root === '/null';
    const emptyFolder = mount.type === 'tmpfs' && mount.options.includes('ro') && mount.root === '/';
    return nullDevice || emptyFolder
      ? []
      : compare('MaskedPaths', seen, `${path} covered`, `${mount.root} of ${mount.type}`);
  });
}

function at(mounts: readonly Mount[], point: string): Mount | undefined {
  return mounts.find((mount) => mount.point === point);
}

/** Of several mounts on one point only the last can be reached. */
function topMost(mounts: readonly Mount[]): Mount[] {
  return [...new Map(mounts.map((mount) => [mount.point, mount])).values()];
}

function parseMountinfo(text: string): Mount[] {
  return text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => {
      const [left = '', right = ''] = line.split(' - ');
      const fields = left.split(' ');
      const [type = '', , superOptions = ''] = right.split(' ');
      return {
        root: unescapeOctal(fields[3] ?? ''),
        point: unescapeOctal(fields[4] ?? ''),
        options: (fields[5] ?? '').split(','),
        type,
        superOptions: superOptions.split(','),
      };
    });
}

/** The kernel writes blanks and the like as three octal digits. */
function unescapeOctal(text: string): string {
  return text.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8)));
}
