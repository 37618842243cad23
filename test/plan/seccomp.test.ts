import { describe, expect, test } from 'vitest';
import { seccompProfile } from '../../src/plan/seccomp.ts';
import { FALLBACK_SYSCALLS, SYSCALL_GROUPS } from '../../src/plan/seccomp-groups.ts';

interface Rule {
  names: string[];
  action: string;
  errnoRet?: number;
  comment: string;
  args?: { index: number; op: string; value: number; valueTwo?: number }[];
  includes?: { arches: string[] };
}

const profile = JSON.parse(seccompProfile()) as {
  defaultAction: string;
  defaultErrnoRet: number;
  archMap: { architecture: string; subArchitectures: string[] }[];
  syscalls: Rule[];
};
const rulesOf = (name: string) => profile.syscalls.filter(({ names }) => names.includes(name));
const allowed = (name: string) => rulesOf(name).filter(({ action }) => action === 'SCMP_ACT_ALLOW');

const CLOSED = `
  ptrace process_vm_readv process_vm_writev kcmp pidfd_getfd bpf perf_event_open userfaultfd io_uring_setup
  io_uring_enter io_uring_register io_setup tee vmsplice mount umount2 move_mount fsopen open_tree
  pivot_root chroot unshare setns keyctl add_key request_key init_module finit_module delete_module kexec_load
  reboot swapon settimeofday clock_settime memfd_secret open_by_handle_at name_to_handle_at quotactl acct syslog
  iopl ioperm
`
  .trim()
  .split(/\s+/);

describe('the seccomp profile', () => {
  test('denies what it does not name, with EPERM', () => {
    expect(profile).toMatchObject({ defaultAction: 'SCMP_ACT_ERRNO', defaultErrnoRet: 1 });
  });

  test('knows no second set of system call numbers', () => {
    expect(profile.archMap.length).toBeGreaterThan(0);
    for (const { subArchitectures } of profile.archMap) expect(subArchitectures).toEqual([]);
  });

  test('gives a reason for every rule', () => {
    for (const { comment } of profile.syscalls) expect(comment).toMatch(/\w+ \w+/);
    for (const { reason } of [...SYSCALL_GROUPS, ...FALLBACK_SYSCALLS]) expect(reason).not.toBe('');
  });

  test('names each call once, or each time with a condition', () => {
    for (const name of new Set(profile.syscalls.flatMap(({ names }) => names))) {
      const rules = rulesOf(name);
      if (rules.length > 1) for (const rule of rules) expect(rule, name).toHaveProperty('args');
    }
  });

  test('names nothing that reads other processes, makes namespaces or passes filters by', () => {
    for (const name of CLOSED) expect(rulesOf(name), name).toEqual([]);
  });

  test('lets the C library believe that clone3 does not exist, since its flags cannot be filtered', () => {
    expect(rulesOf('clone3')).toEqual([expect.objectContaining({ action: 'SCMP_ACT_ERRNO', errnoRet: 38 })]);
  });

  test('lets programs believe that no file can be spliced, the one error after which grep reads instead', () => {
    expect(rulesOf('splice')).toEqual([expect.objectContaining({ action: 'SCMP_ACT_ERRNO', errnoRet: 22 })]);
  });

  test('allows clone without any flag that makes a namespace', () => {
    const [rule, ...others] = allowed('clone');
    expect(others).toEqual([]);
    expect(rule?.args).toEqual([expect.objectContaining({ index: 0, op: 'SCMP_CMP_MASKED_EQ', valueTwo: 0 })]);
    // CLONE_NEW: mount, cgroup, uts, ipc, user, pid, network. The one for time is no flag of clone: its bit is part of the exit signal.
    const flags = [0x20000, 0x2000000, 0x4000000, 0x8000000, 0x10000000, 0x20000000, 0x40000000];
    for (const flag of flags) expect((rule?.args?.[0]?.value ?? 0) & flag).toBe(flag);
  });

  test('opens sockets of four families only, whatever the family', () => {
    const families = allowed('socket').map((rule) => rule.args?.find(({ index }) => index === 0));
    for (const family of families) expect(family?.op).toBe('SCMP_CMP_EQ');
    expect([...new Set(families.map((family) => family?.value))].sort((a, b) => Number(a) - Number(b))).toEqual([
      1, 2, 10, 16,
    ]);
  });

  test('leaves no internet socket without a fixed protocol, so that raw ones stay closed', () => {
    const internet = allowed('socket').filter(({ args }) =>
      args?.some(({ index, value }) => index === 0 && value !== 1),
    );
    for (const { args } of internet) expect(args?.map(({ index }) => index)).toEqual([0, 2]);
  });
});
