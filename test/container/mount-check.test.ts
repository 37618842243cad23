import { beforeAll, describe, expect, test } from 'vitest';
import { checkMounts } from '../../src/container/posture/mount-check.ts';
import { type ContainerSpec, containerSpec } from '../../src/plan/container-spec.ts';
import { testContainerPlan } from '../support/engine.ts';

let spec: ContainerSpec;
beforeAll(async () => {
  spec = containerSpec(await testContainerPlan());
});

interface Line {
  readonly point: string;
  readonly options: string;
  readonly type: string;
  readonly root?: string;
  readonly more?: string;
}

/** The mount table of a container that is exactly as planned. */
function planned(): Line[] {
  const { Tmpfs, MaskedPaths, ReadonlyPaths } = spec.HostConfig;
  return [
    { point: '/', options: 'ro,relatime', type: 'overlay' },
    { point: '/proc', options: 'rw,nosuid,nodev,noexec', type: 'proc' },
    { point: '/dev', options: 'rw,nosuid', type: 'tmpfs' },
    { point: '/dev/pts', options: 'rw,nosuid,noexec', type: 'devpts' },
    { point: '/sys', options: 'ro,nosuid,nodev,noexec', type: 'sysfs' },
    { point: '/sys/fs/cgroup', options: 'ro,nosuid,nodev,noexec', type: 'cgroup2' },
    { point: '/etc/hosts', options: 'ro,relatime', type: 'ext4', root: '/var/lib/docker/containers/x/hosts' },
    ...Object.entries(Tmpfs).map(([point, text]): Line => {
      const wanted = new Map(text.split(',').map((option) => [option.split('=')[0], option.split('=')[1]] as const));
      const size = `size=${Number(wanted.get('size')) / 1024}k,nr_inodes=${wanted.get('nr_inodes')}`;
      const uid = wanted.has('uid') ? `,uid=${wanted.get('uid')},gid=${wanted.get('uid')},mode=700` : '';
      const exec = wanted.has('noexec') ? ',noexec' : '';
      return { point, options: `rw,nosuid,nodev${exec}`, type: 'tmpfs', more: `rw,${size}${uid}` };
    }),
    ...MaskedPaths.map((point): Line => ({ point, options: 'rw,nosuid', type: 'tmpfs', root: '/null' })),
    ...ReadonlyPaths.map((point): Line => ({ point, options: 'ro,nosuid', type: 'proc', root: point.slice(5) })),
  ];
}

const table = (lines: readonly Line[]): string =>
  lines
    .map(({ point, options, type, root = '/', more = 'rw' }, at) => {
      return `${100 + at} 99 0:${at} ${root} ${point} ${options} - ${type} none ${more}`;
    })
    .join('\n');

function findings(change: (lines: Line[]) => Line[]): string[] {
  const { MaskedPaths, ReadonlyPaths } = spec.HostConfig;
  const paths = new Set([...MaskedPaths, ...ReadonlyPaths]);
  return checkMounts(table(change(planned())), spec, paths, 'main process').map(
    ({ field, actual }) => `${field} ${actual}`,
  );
}

const replace = (point: string, by: Partial<Line>) => (lines: Line[]) =>
  lines.map((line) => (line.point === point ? { ...line, ...by } : line));

describe('the mount table', () => {
  test('of a container as planned has nothing wrong with it', () => {
    expect(findings((lines) => lines)).toEqual([]);
  });

  test('shows a folder of the host that nobody asked for, also a read-only one', () => {
    const added: Line = {
      point: '/run/secrets',
      options: 'ro,relatime',
      type: 'ext4',
      root: '/usr/share/rhel/secrets',
    };
    expect(findings((lines) => [...lines, added])).toEqual(['Mounts "/run/secrets is mounted (ext4)"']);
    expect(findings((lines) => [...lines, { ...added, options: 'rw' }])[0]).toContain('is writable');
  });

  test('shows a mask that is missing, or that is not what it seems', () => {
    expect(findings((lines) => lines.filter(({ point }) => point !== '/proc/kcore'))).toEqual(['MaskedPaths absent']);
    expect(findings(replace('/proc/kcore', { root: '/kcore', type: 'proc' }))[0]).toContain('MaskedPaths');
    expect(findings(replace('/sys/firmware', { root: '/', type: 'tmpfs', options: 'ro' }))).toEqual([]);
  });

  test('shows a path of the kernel that can be written, or is not protected at all', () => {
    expect(findings(replace('/proc/sys', { options: 'rw' })).join()).toContain('ReadonlyPaths');
    expect(findings((lines) => lines.filter(({ point }) => point !== '/proc/sys'))).toEqual([
      'ReadonlyPaths "/proc/sys rw"',
    ]);
  });

  test('shows a folder without its size, its owner or its flags', () => {
    expect(findings(replace('/spill', { more: 'rw' })).join()).toContain('Tmpfs./spill');
    expect(findings(replace('/spill', { options: 'rw,nosuid,nodev' })).join()).toContain('Tmpfs./spill');
  });
});
