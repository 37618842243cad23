/** A condition on one argument of a system call. `mask` compares `(argument & mask) === value`. */
export interface ArgumentRule {
  readonly index: number;
  readonly value: number;
  readonly mask?: number;
}

export interface SyscallGroup {
  /** Why a coding agent and its tools need these. */
  readonly reason: string;
  readonly names: readonly string[];
  /** All must hold for the call to be allowed. */
  readonly when?: readonly ArgumentRule[];
  /** Only on this architecture, in Docker's naming. */
  readonly arch?: 'amd64' | 'arm64';
}

const AF = { unix: 1, inet: 2, inet6: 10, netlink: 16 } as const;
const PROTOCOL = { default: 0, tcp: 6, udp: 17, route: 0 } as const;

/** CLONE_NEWNS, NEWCGROUP, NEWUTS, NEWIPC, NEWUSER, NEWPID, NEWNET: none of them may be asked for. */
const NEW_NAMESPACE_FLAGS = 0x7e02_0000;
/** `personality(0xffffffff)` only asks. */
const PERSONALITY_QUERY = 0xffff_ffff;

const internetSocket = (family: number, protocol: number): readonly ArgumentRule[] => [
  { index: 0, value: family },
  { index: 2, value: protocol },
];

const list = (names: string): readonly string[] => names.trim().split(/\s+/);

/**
 * Every system call that the sandbox may make. What is not here fails, with EPERM unless it is listed at the end; what
 * is not here on purpose: io_uring and aio (they pass system calls by), ptrace and process_vm_* (reading other
 * processes), splice, tee and vmsplice (page-cache bugs), bpf, perf, userfaultfd, keyrings, modules, mounts, namespaces,
 * memfd_secret, message queues, and every socket family but those below (vsock is not confined by the network namespace).
 */
export const SYSCALL_GROUPS: readonly SyscallGroup[] = [
  {
    reason: 'open, create and close files, and pass descriptors around',
    names: list(`
      open openat openat2 creat close close_range dup dup2 dup3 fcntl flock pipe pipe2 ioctl umask
    `),
  },
  {
    reason: 'read and write file content',
    names: list(`
      read write readv writev pread64 pwrite64 preadv pwritev preadv2 pwritev2 lseek sendfile copy_file_range
      readahead fadvise64 fallocate truncate ftruncate fsync fdatasync sync syncfs sync_file_range
    `),
  },
  {
    reason: 'names, links and directories',
    names: list(`
      access faccessat faccessat2 chdir fchdir getcwd getdents getdents64 link linkat mkdir mkdirat mknod mknodat
      readlink readlinkat rename renameat renameat2 rmdir symlink symlinkat unlink unlinkat
    `),
  },
  {
    reason: 'metadata: size, mode, times; ownership calls are made by tar and cp and need no privilege to fail',
    names: list(`
      stat fstat lstat newfstatat statx statfs fstatfs chmod fchmod fchmodat fchmodat2 chown fchown fchownat lchown
      utime utimes utimensat futimesat
    `),
  },
  {
    reason: 'extended attributes, which cp -a, tar and npm copy; only user.* can be set without capabilities',
    names: list(`
      getxattr lgetxattr fgetxattr getxattrat listxattr llistxattr flistxattr listxattrat setxattr lsetxattr
      fsetxattr setxattrat removexattr lremovexattr fremovexattr removexattrat
    `),
  },
  {
    reason: 'waiting: the event loop of Node, timers and file watching',
    names: list(`
      epoll_create epoll_create1 epoll_ctl epoll_wait epoll_pwait epoll_pwait2 poll ppoll select pselect6 eventfd
      eventfd2 signalfd signalfd4 timerfd_create timerfd_gettime timerfd_settime inotify_init inotify_init1
      inotify_add_watch inotify_rm_watch
    `),
  },
  {
    reason: 'memory and just-in-time compilers (pkey_*: V8; map_shadow_stack and mseal: newer C libraries)',
    names: list(`
      brk mmap mremap munmap mprotect madvise mincore msync mlock mlock2 munlock munlockall membarrier memfd_create
      mseal map_shadow_stack pkey_alloc pkey_free pkey_mprotect
    `),
  },
  {
    reason: 'threads, locks and scheduling of own threads',
    names: list(`
      futex futex_wait futex_wake futex_waitv futex_requeue set_robust_list get_robust_list rseq set_tid_address
      gettid getcpu sched_yield sched_getaffinity sched_setaffinity sched_getattr sched_setattr sched_getparam
      sched_setparam sched_getscheduler sched_setscheduler sched_get_priority_max sched_get_priority_min
      sched_rr_get_interval
    `),
  },
  {
    reason: 'processes: start, wait for, signal and limit own children (clone has rules of its own below)',
    names: list(`
      execve execveat exit exit_group fork vfork wait4 waitid kill tkill tgkill pidfd_open pidfd_send_signal getpid
      getppid getpgid getpgrp setpgid getsid setsid getpriority setpriority ioprio_get ioprio_set getrlimit setrlimit
      prlimit64 getrusage times prctl uname sysinfo restart_syscall
    `),
  },
  {
    reason: 'signals and interval timers',
    names: list(`
      rt_sigaction rt_sigprocmask rt_sigpending rt_sigreturn rt_sigsuspend rt_sigtimedwait rt_sigqueueinfo
      rt_tgsigqueueinfo sigaltstack pause alarm getitimer setitimer timer_create timer_delete timer_getoverrun
      timer_gettime timer_settime
    `),
  },
  {
    reason: 'reading clocks, sleeping, random numbers; setting a clock is not here',
    names: list('clock_gettime clock_getres clock_nanosleep gettimeofday nanosleep time getrandom'),
  },
  {
    reason: 'own identity; changing it needs capabilities that nobody in the sandbox has',
    names: list(`
      getuid geteuid getgid getegid getresuid getresgid getgroups setuid setgid setreuid setregid setresuid setresgid
      setgroups setfsuid setfsgid capget capset
    `),
  },
  {
    reason: 'use of sockets whose family the rules below let through',
    names: list(`
      bind listen accept accept4 connect shutdown getsockname getpeername getsockopt setsockopt sendto recvfrom
      sendmsg recvmsg sendmmsg recvmmsg
    `),
  },
  {
    reason: 'System V memory and semaphores inside the own ipc namespace, for databases in test suites',
    names: list('shmget shmat shmctl shmdt semget semctl semop semtimedop'),
  },
  {
    reason: 'programs that confine themselves further',
    names: ['landlock_create_ruleset', 'landlock_add_rule', 'landlock_restrict_self'],
  },
  { reason: 'local sockets', names: ['socket', 'socketpair'], when: [{ index: 0, value: AF.unix }] },
  {
    reason: 'IPv4 on loopback, protocol left to the kernel',
    names: ['socket'],
    when: internetSocket(AF.inet, PROTOCOL.default),
  },
  { reason: 'IPv4 TCP on loopback', names: ['socket'], when: internetSocket(AF.inet, PROTOCOL.tcp) },
  { reason: 'IPv4 UDP on loopback', names: ['socket'], when: internetSocket(AF.inet, PROTOCOL.udp) },
  {
    reason: 'IPv6 on loopback, protocol left to the kernel',
    names: ['socket'],
    when: internetSocket(AF.inet6, PROTOCOL.default),
  },
  { reason: 'IPv6 TCP on loopback', names: ['socket'], when: internetSocket(AF.inet6, PROTOCOL.tcp) },
  { reason: 'IPv6 UDP on loopback', names: ['socket'], when: internetSocket(AF.inet6, PROTOCOL.udp) },
  {
    reason: 'getifaddrs lists interfaces through a routing socket; other netlink protocols stay closed',
    names: ['socket'],
    when: internetSocket(AF.netlink, PROTOCOL.route),
  },
  {
    reason: 'processes and threads without a new namespace',
    names: ['clone'],
    when: [{ index: 0, value: 0, mask: NEW_NAMESPACE_FLAGS }],
  },
  { reason: 'the normal execution domain', names: ['personality'], when: [{ index: 0, value: 0 }] },
  {
    reason: 'asking for the execution domain',
    names: ['personality'],
    when: [{ index: 0, value: PERSONALITY_QUERY }],
  },
  { reason: 'thread-local storage', names: ['arch_prctl'], arch: 'amd64' },
];

export interface RefusedSyscalls {
  readonly reason: string;
  readonly names: readonly string[];
  readonly errno: number;
}

const ERRNO = { EINVAL: 22, ENOSYS: 38 } as const;

/** Calls that are refused with another error than EPERM, so that programs fall back to what they do without the call. */
export const FALLBACK_SYSCALLS: readonly RefusedSyscalls[] = [
  {
    reason: 'its flags sit behind a pointer where a filter cannot see them; libc then uses clone',
    names: ['clone3'],
    errno: ERRNO.ENOSYS,
  },
  {
    reason: 'page-cache bugs; grep with its output in /dev/null, as in every configure script, then reads',
    names: ['splice'],
    errno: ERRNO.EINVAL,
  },
];
