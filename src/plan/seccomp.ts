import { FALLBACK_SYSCALLS, SYSCALL_GROUPS, type SyscallGroup } from './seccomp-groups.ts';

const EPERM = 1;

/**
 * The seccomp profile as Docker takes it: JSON text, not a path. Sub-architectures are empty, so that 32-bit and x32
 * calls are killed and cannot go around the rules on 64-bit ones.
 */
export function seccompProfile(): string {
  return JSON.stringify({
    defaultAction: 'SCMP_ACT_ERRNO',
    defaultErrnoRet: EPERM,
    archMap: [
      { architecture: 'SCMP_ARCH_X86_64', subArchitectures: [] },
      { architecture: 'SCMP_ARCH_AARCH64', subArchitectures: [] },
    ],
    syscalls: [
      ...SYSCALL_GROUPS.map(allow),
      ...FALLBACK_SYSCALLS.map(({ names, reason, errno }) => ({
        names,
        action: 'SCMP_ACT_ERRNO',
        errnoRet: errno,
        comment: reason,
      })),
    ],
  });
}

function allow(group: SyscallGroup): Record<string, unknown> {
  return {
    names: group.names,
    action: 'SCMP_ACT_ALLOW',
    comment: group.reason,
    ...(group.when && {
      args: group.when.map(({ index, value, mask }) =>
        mask === undefined
          ? { index, value, op: 'SCMP_CMP_EQ' }
          : { index, value: mask, valueTwo: value, op: 'SCMP_CMP_MASKED_EQ' },
      ),
    }),
    ...(group.arch && { includes: { arches: [group.arch] } }),
  };
}
