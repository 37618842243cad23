/** The rules of the seccomp profile that look at arguments, and what is left out of it on purpose, one row each. */
/** Answers of the probe program. */
const REFUSED = 'errno 1';
const UNKNOWN = 'errno 38';
const NOT_HERE = 'errno 22';

export type Call = readonly [name: string, ...args: (number | string)[]];

const AF = { unix: 1, inet: 2, ax25: 3, inet6: 10, key: 15, netlink: 16, packet: 17, rds: 21, tipc: 30, bluetooth: 31 };
const RARE = { rxrpc: 33, alg: 38, vsock: 40, kcm: 41, qipcrtr: 42, smc: 43, xdp: 44 };
const TYPE = { stream: 1, dgram: 2, raw: 3, seqpacket: 5 };
const IPPROTO = { icmp: 1, tcp: 6, udp: 17, icmpv6: 58, sctp: 132, udplite: 136, raw: 255, mptcp: 262 };
const NETLINK = {
  route: 0,
  unused: 1,
  usersock: 2,
  sockDiag: 4,
  xfrm: 6,
  selinux: 7,
  audit: 9,
  netfilter: 12,
  kobject: 15,
  generic: 16,
};
const CLONE = {
  vm: 0x100,
  fs: 0x200,
  files: 0x400,
  sighand: 0x800,
  newns: 0x2_0000,
  newcgroup: 0x200_0000,
  newuts: 0x400_0000,
};
const NEWER = { newipc: 0x800_0000, newuser: 0x1000_0000, newpid: 0x2000_0000, newnet: 0x4000_0000 };
const SIGCHLD = 17;

/** What a kernel need not have been built with: then nothing shows that the probe could succeed. */
export const MAY_BE_MISSING = [
  /^(init_module|finit_module|delete_module|memfd_secret|userfaultfd|kexec_load|lookup_dcookie|perf_event_open|quotactl|bpf|add_key|keyctl|request_key|modify_ldt)\(/,
];

/** One rule each: what it must let through, what it must not, and the answer to that. */
export function rows(): [name: string, allowed: Call[], denied: Call[], expected: string][] {
  const socket = (...args: number[]): Call => ['socket', ...args];
  const both = (family: number, protocol: number): Call[] => [
    socket(family, TYPE.stream, protocol),
    socket(family, TYPE.dgram, protocol),
  ];
  const clone = (flags: number): Call => ['clone', flags + SIGCHLD, 0, 0, 0, 0];
  return [
    [
      'local sockets, and of other families none that reaches past the network namespace (KS6)',
      [socket(AF.unix, TYPE.stream, 0), ['socketpair', AF.unix, TYPE.dgram, 0, 'b']],
      [
        ...[AF.ax25, AF.key, AF.packet, AF.rds, AF.tipc, AF.bluetooth, ...Object.values(RARE)].flatMap((family) => [
          socket(family, TYPE.stream, 0),
          socket(family, TYPE.dgram, 0),
          socket(family, TYPE.raw, 0),
          socket(family, TYPE.seqpacket, 0),
        ]),
        ['socketpair', AF.inet, TYPE.stream, 0, 'b'],
        ['socketpair', AF.tipc, TYPE.stream, 0, 'b'],
      ],
      REFUSED,
    ],
    [
      'IPv4 and IPv6 with TCP, UDP or the default protocol, and no other (NW3)',
      [AF.inet, AF.inet6].flatMap((family) => [
        ...both(family, 0),
        socket(family, TYPE.stream, IPPROTO.tcp),
        socket(family, TYPE.dgram, IPPROTO.udp),
      ]),
      [AF.inet, AF.inet6].flatMap((family) => [
        socket(family, TYPE.dgram, family === AF.inet ? IPPROTO.icmp : IPPROTO.icmpv6),
        socket(family, TYPE.raw, IPPROTO.icmp),
        socket(family, TYPE.raw, IPPROTO.raw),
        socket(family, TYPE.stream, IPPROTO.sctp),
        socket(family, TYPE.dgram, IPPROTO.udplite),
        socket(family, TYPE.stream, IPPROTO.mptcp),
      ]),
      REFUSED,
    ],
    [
      'the netlink protocol that lists interfaces, and no other (KS6)',
      [socket(AF.netlink, TYPE.raw, NETLINK.route)],
      Object.values(NETLINK)
        .filter((protocol) => protocol !== NETLINK.route)
        .map((protocol) => socket(AF.netlink, TYPE.raw, protocol)),
      REFUSED,
    ],
    [
      'children and threads, but no new namespace of any kind (KS1)',
      [clone(0), clone(CLONE.fs | CLONE.files)],
      [
        ...[CLONE.newns, CLONE.newcgroup, CLONE.newuts, ...Object.values(NEWER)].map(clone),
        clone(NEWER.newuser | NEWER.newnet | CLONE.newns),
        ['unshare', NEWER.newuser],
        ['unshare', NEWER.newnet],
        ['unshare', CLONE.newns],
        ['setns', -1, 0],
      ],
      REFUSED,
    ],
    ['no clone3, whose flags no filter can see (KS1)', [], [['clone3', 'm', 64]], UNKNOWN],
    [
      'the normal execution domain and the question for it, not one without address randomisation (KS9)',
      [
        ['personality', 0],
        ['personality', 0xffff_ffff],
      ],
      [
        ['personality', 0x004_0000],
        ['personality', 0x040_0000],
        ['personality', 8],
      ],
      REFUSED,
    ],
    ...(process.arch === 'x64'
      ? ([['thread-local storage', [['arch_prctl', 0x1003, 'b']], [], REFUSED]] satisfies ReturnType<typeof rows>)
      : []),
    [
      'no mounts (KS2)',
      [],
      [
        ['mount', 'm', 'm', 'm', 0, 'm'],
        ['umount2', 'm', 0],
        ['pivot_root', 'm', 'm'],
        ['chroot', 'm'],
        ['fsopen', 'm', 0],
        ['fsmount', -1, 0, 0],
        ['fspick', -1, 'm', 0],
        ['open_tree', -1, 'm', 0],
        ['move_mount', -1, 'm', -1, 'm', 0],
        ['mount_setattr', -1, 'm', 0, 'm', 32],
      ],
      REFUSED,
    ],
    [
      'no asynchronous calls that pass the filter by (KS3)',
      [],
      [
        ['io_uring_setup', 8, 'b'],
        ['io_uring_enter', -1, 0, 0, 0, 'm', 0],
        ['io_uring_register', -1, 0, 'm', 0],
        ['io_setup', 8, 'b'],
        ['io_submit', 0, 0, 'm'],
      ],
      REFUSED,
    ],
    [
      "no reading or steering of other processes' memory (KS4)",
      [],
      [
        ['ptrace', 0, 0, 0, 0],
        ['process_vm_readv', 1, 'm', 1, 'm', 1, 0],
        ['process_vm_writev', 1, 'm', 1, 'm', 1, 0],
        ['pidfd_getfd', -1, 0, 0],
        ['kcmp', 1, 1, 0, 0, 0],
        ['process_madvise', -1, 'm', 1, 0, 0],
      ],
      REFUSED,
    ],
    [
      'no programs, events, keys, page faults or modules of the kernel (KS5)',
      [],
      [
        ['bpf', 0, 'm', 48],
        ['perf_event_open', 'm', 0, -1, -1, 0],
        ['userfaultfd', 1],
        ['keyctl', 0, -3, 0],
        ['add_key', 'm', 'm', 'm', 0, 0],
        ['request_key', 'm', 'm', 'm', 0],
        ['init_module', 'm', 0, 'm'],
        ['finit_module', -1, 'm', 0],
        ['delete_module', 'm', 0],
        ['kexec_load', 0, -1, 'm', 0],
        ['syslog', 3, 'm', 0],
        ['quotactl', 0, 'm', 0, 'm'],
        ['fanotify_init', 0, 0],
        ['open_by_handle_at', -1, 'm', 0],
      ],
      REFUSED,
    ],
    [
      'no splicing of pages, with the error after which programs read and write instead (KS9)',
      [],
      [['splice', -1, 0, -1, 0, 1, 0]],
      NOT_HERE,
    ],
    [
      'no other splicing of pages, secret memory or segment tables, no file handles (KS9)',
      [],
      [
        ['tee', -1, -1, 1, 0],
        ['vmsplice', -1, 'm', 1, 0],
        ['memfd_secret', 0],
        ...(process.arch === 'x64' ? ([['modify_ldt', 0, 'b', 16]] satisfies Call[]) : []),
        ['name_to_handle_at', -1, 'm', 'm', 'm', 0],
      ],
      REFUSED,
    ],
    [
      'no message queues, no clock or host name of the machine (RS9)',
      [],
      [
        ['mq_open', 'm', 0, 0, 0],
        ['msgget', -1, -1],
        ['clock_settime', -1, 'm'],
        ['adjtimex', 'm'],
        ['sethostname', 'm', 1],
        ['reboot', 0, 0, 0, 0],
        ['swapon', 'm', 0],
        ['acct', 'm'],
      ],
      REFUSED,
    ],
  ];
}
