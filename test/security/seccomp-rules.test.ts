import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { checkInspect } from '../../src/container/posture/inspect-check.ts';
import { type ContainerSpec, containerSpec } from '../../src/plan/container-spec.ts';
import { SYSCALL_GROUPS, UNIMPLEMENTED_SYSCALLS } from '../../src/plan/seccomp-groups.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import type { ContainerPlan } from '../../src/protocol/plan.ts';
import { removedAfterwards, testContainerPlan, testEngine } from '../support/engine.ts';
import { inside } from '../support/inside.ts';

const EPERM = 'errno 1';
const ENOSYS = 'errno 38';
const SIGSYS = 'signal 31';
/** Calls from here on are newer than some runtimes that are still in use. */
const FIRST_NEW_NUMBER = 450;
/**
 * The kernel's own probes on x86-64 (uretprobe, uprobe): since Linux 6.14 it never asks a filter about them, and it
 * answers them only where it placed one itself.
 */
const UNFILTERED = new Set(process.arch === 'x64' ? [335, 336] : []);
/** Past the last call of any kernel so far; some of these numbers will get a meaning one day. */
const LAST_NUMBER = 511;

/** The same container three times: with our profile, without one, and without one as root with every capability. */
type Kind = 'ours' | 'unconfined' | 'powerful';
const KINDS: Readonly<Record<Kind, { uid: 'agent' | 0; change: (spec: ContainerSpec) => void }>> = {
  ours: { uid: 'agent', change: () => {} },
  unconfined: { uid: 'agent', change: (spec) => (spec.HostConfig.SecurityOpt[1] = 'seccomp=unconfined') },
  powerful: {
    uid: 0,
    change: ({ HostConfig }) => {
      HostConfig.SecurityOpt = ['seccomp=unconfined'];
      HostConfig.CapDrop = [];
      HostConfig.CapAdd = ['ALL'];
    },
  },
};

let engine: Engine;
let plan: ContainerPlan;
/** Numbers of this architecture by name, as the image's own headers say. */
let numbers: ReadonlyMap<string, number>;
const removed = removedAfterwards(() => engine);
const containers = {} as Record<Kind, string>;

async function start(change: (spec: ContainerSpec) => void): Promise<string> {
  const spec = structuredClone(containerSpec(plan));
  // Nobody holds the other end of a wire here, and the bridge would leave without it.
  spec.Entrypoint = [GUEST.tini, '--', '/bin/sleep', '600'];
  change(spec);
  const container = removed(await engine.create(spec));
  await engine.start(container);
  return container;
}

beforeAll(async () => {
  engine = await testEngine();
  plan = await testContainerPlan();
  const source = await readFile(path.join(import.meta.dirname, 'programs/syscall-probe.c'), 'utf8');
  for (const kind of Object.keys(KINDS) as Kind[]) {
    containers[kind] = await start(KINDS[kind].change);
    const built = await inside(engine, containers[kind], {
      uid: plan.agentUid,
      script: 'cc -O1 -o /tmp/probe -x c -',
      input: source,
    });
    if (built.exitCode !== 0) throw new Error(`the probe does not compile: ${built.stderr}`);
  }
  const headers = await inside(engine, containers.ours, {
    uid: plan.agentUid,
    script: `echo '#include <sys/syscall.h>' | cc -E -dM - | sed -n 's/^#define __NR_\\([a-z0-9_]*\\) \\([0-9]*\\)$/\\1 \\2/p'`,
  });
  numbers = new Map(
    headers.stdout
      .trim()
      .split('\n')
      .map((line) => line.split(' '))
      .map(([name = '', number]) => [name, Number(number)]),
  );
}, 120_000);

const numberOf = (name: string): number => {
  const number = numbers.get(name);
  if (number === undefined) throw new Error(`the headers know no ${name}`);
  return number;
};

/** Answers to lines of the probe's input, in order. */
async function ask(kind: Kind, lines: readonly string[]): Promise<string[]> {
  const { uid } = KINDS[kind];
  const answer = await inside(engine, containers[kind], {
    uid: uid === 'agent' ? plan.agentUid : uid,
    script: '/tmp/probe',
    input: `${lines.join('\n')}\n`,
  });
  const answers = answer.stdout.trim().split('\n');
  if (answers.length !== lines.length) {
    throw new Error(`${answers.length} answers to ${lines.length} calls in "${kind}": ${answer.stderr}`);
  }
  return answers;
}

/** Whether a call got as far as being carried out or found wrong in its arguments. */
const reachedKernel = (answer: string | undefined): boolean => answer !== EPERM && answer !== ENOSYS;

const line = (name: string, ...args: (number | string)[]) => `n ${numberOf(name)} ${args.join(' ')}`;

/** Arguments with which a call does nothing but is told from a refusal by its answer; -1 in all six elsewhere. */
const ARGUMENTS: Readonly<Record<string, readonly (number | string)[]>> = {
  // Tells that it knows no such function with the number that stands for "no such call".
  modify_ldt: [0, 'b', 16],
  setgroups: [65_537, 'm'],
  memfd_secret: [0],
  io_uring_setup: [8, 'b'],
  io_setup: [8, 'b'],
  // Its cost must not depend on the host's disks.
  sync: [],
};
const EVERYTHING = Array(6).fill(-1) as number[];

/** Each call of the machine, once, harmlessly. */
async function sweep(kind: Kind, subject: readonly string[]): Promise<Map<string, string>> {
  const answers = await ask(
    kind,
    subject.map((name) => line(name, ...(ARGUMENTS[name] ?? EVERYTHING))),
  );
  return new Map(subject.map((name, index) => [name, answers[index] ?? '']));
}

const unconditional = () => SYSCALL_GROUPS.filter((group) => group.when === undefined).flatMap((group) => group.names);
const conditional = () => SYSCALL_GROUPS.filter((group) => group.when !== undefined).flatMap((group) => group.names);
const unimplemented = () => UNIMPLEMENTED_SYSCALLS.flatMap((entry) => entry.names);

describe('the system calls of a process that an exec starts as the agent', () => {
  it('are answered by the kernel, as without a filter, when the profile lists them', async () => {
    const subject = unconditional().filter((name) => numbers.has(name));
    expect(subject.length).toBeGreaterThan(200);
    const [ours, free] = [await sweep('ours', subject), await sweep('unconfined', subject)];
    const different = subject.filter((name) => ours.get(name) !== free.get(name));
    // A runtime drops names that its library does not know; the newest calls then look as on an older kernel.
    const unknown = different.filter((name) => ours.get(name) === ENOSYS && numberOf(name) >= FIRST_NEW_NUMBER);
    expect(different.filter((name) => !unknown.includes(name)).map((name) => `${name}: ${ours.get(name)}`)).toEqual([]);
    // Where the kernel itself answers like the filter, the two cannot be told apart this way.
    expect(subject.filter((name) => ours.get(name) === EPERM)).toEqual(['mlock', 'setgroups']);
  });

  it('are refused when the profile does not list them, whatever they are', async () => {
    const listed = new Set([...unconditional(), ...conditional(), ...unimplemented()]);
    const subject = [...numbers.keys()].filter((name) => !listed.has(name) && !UNFILTERED.has(numberOf(name)));
    expect(subject.length).toBeGreaterThan(80);
    const ours = await sweep('ours', subject);
    const open = subject.filter((name) => ours.get(name) !== EPERM && ours.get(name) !== ENOSYS);
    expect(open.map((name) => `${name}: ${ours.get(name)}`)).toEqual([]);

    const [free, powerful] = [await sweep('unconfined', subject), await sweep('powerful', subject)];
    const able = subject.filter((name) => [free, powerful].some((answers) => reachedKernel(answers.get(name))));
    // The rest is what this kernel was built without, or what no capability in a container is enough for.
    console.info(
      `Not shown able to succeed on this kernel: ${subject.filter((name) => !able.includes(name)).join(' ')}`,
    );
    expect(able).toEqual(expect.arrayContaining([...MUST_BE_ABLE].filter((name) => numbers.has(name))));
  });

  it('do not exist where nobody gave them a name yet', async () => {
    const named = new Set(numbers.values());
    const all = Array.from({ length: LAST_NUMBER + 1 }, (_, number) => number);
    const subject = all.filter((number) => !named.has(number) && !UNFILTERED.has(number));
    const answers = await ask(
      'ours',
      [...subject, 5_000, 99_999].map((number) => `n ${number} ${EVERYTHING.join(' ')}`),
    );
    expect(answers.filter((answer) => answer !== EPERM && answer !== ENOSYS)).toEqual([]);
  });

  it.each(rows())('$0', async (_name, allowed, denied, expected) => {
    const lines = [...allowed, ...denied].map(([name, ...args]) => line(name, ...args));
    const [ours, free, powerful] = [
      await ask('ours', lines),
      await ask('unconfined', lines),
      await ask('powerful', lines),
    ];
    for (const [index, [name, ...args]] of [...allowed, ...denied].entries()) {
      const what = `${name}(${args.join(', ')})`;
      if (index < allowed.length) {
        expect(`${what}: ${ours[index]}`).toBe(`${what}: ${free[index]}`);
        expect(`${what}: ${ours[index]}`).not.toBe(`${what}: ${EPERM}`);
      } else {
        expect(`${what}: ${ours[index]}`).toBe(`${what}: ${expected}`);
        const able = [free[index], powerful[index]].some(reachedKernel);
        if (!able)
          console.info(`Not shown able to succeed on this kernel: ${what}, ${powerful[index]} without a filter`);
        if (!MAY_BE_MISSING.some((pattern) => pattern.test(what)))
          expect(`${what} able: ${able}`).toBe(`${what} able: true`);
      }
    }
  });

  it.runIf(process.arch === 'x64')('end the process when they come in a 32-bit or x32 form (KS7)', async () => {
    const GETPID_32 = 20;
    const SOCKETCALL_32 = 102;
    const lines = [`i ${GETPID_32}`, `i ${SOCKETCALL_32} 1 b`, `x ${numberOf('getpid')}`];
    expect(await ask('ours', lines)).toEqual([SIGSYS, SIGSYS, SIGSYS]);
    // The neighbour that must work, and the same calls without a filter: a kernel may be built without either form.
    expect(await ask('ours', [line('getpid')])).toEqual(['ok']);
    const free = await ask('unconfined', lines);
    expect(free).not.toContain(SIGSYS);
    expect(free[0]).toMatch(/^(ok|signal 11)$/);
  });
});

type Call = readonly [name: string, ...args: (number | string)[]];

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
const MAY_BE_MISSING = [
  /^(init_module|finit_module|delete_module|memfd_secret|userfaultfd|kexec_load|lookup_dcookie|perf_event_open|quotactl|bpf|add_key|keyctl|request_key|modify_ldt)\(/,
];

/** One rule each: what it must let through, what it must not, and the answer to that. */
function rows(): [name: string, allowed: Call[], denied: Call[], expected: string][] {
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
      EPERM,
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
      EPERM,
    ],
    [
      'the netlink protocol that lists interfaces, and no other (KS6)',
      [socket(AF.netlink, TYPE.raw, NETLINK.route)],
      Object.values(NETLINK)
        .filter((protocol) => protocol !== NETLINK.route)
        .map((protocol) => socket(AF.netlink, TYPE.raw, protocol)),
      EPERM,
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
      EPERM,
    ],
    ['no clone3, whose flags no filter can see (KS1)', [], [['clone3', 'm', 64]], ENOSYS],
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
      EPERM,
    ],
    ...(process.arch === 'x64'
      ? ([['thread-local storage', [['arch_prctl', 0x1003, 'b']], [], EPERM]] satisfies ReturnType<typeof rows>)
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
      EPERM,
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
      EPERM,
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
      EPERM,
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
      EPERM,
    ],
    [
      'no splicing of pages, secret memory or segment tables, no file handles (KS9)',
      [],
      [
        ['splice', -1, 0, -1, 0, 1, 0],
        ['tee', -1, -1, 1, 0],
        ['vmsplice', -1, 'm', 1, 0],
        ['memfd_secret', 0],
        ...(process.arch === 'x64' ? ([['modify_ldt', 0, 'b', 16]] satisfies Call[]) : []),
        ['name_to_handle_at', -1, 'm', 'm', 'm', 0],
      ],
      EPERM,
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
      EPERM,
    ],
  ];
}

/** Denied calls for which the control must show that they could be answered otherwise, on any kernel of the last years. */
const MUST_BE_ABLE = new Set([
  ...[
    'ptrace',
    'process_vm_readv',
    'process_vm_writev',
    'unshare',
    'setns',
    'mount',
    'umount2',
    'pivot_root',
    'chroot',
  ],
  ...['fsopen', 'open_tree', 'move_mount', 'splice', 'tee', 'vmsplice', 'pidfd_getfd', 'seccomp', 'mq_open', 'msgget'],
  ...['io_uring_setup', 'fanotify_init', 'sethostname', 'clock_settime', 'syslog', 'acct'],
]);

describe('a profile', () => {
  const BROKEN: readonly [name: string, profile: string][] = [
    ['that is cut off', '{"defaultAction":"SCMP_ACT_ERRNO","syscalls":['],
    ['with an action that does not exist', '{"defaultAction":"SCMP_ACT_SOMETHING"}'],
  ];
  it.each(BROKEN)('%s starts nothing', async (_name, profile) => {
    const attempt = start((spec) => (spec.HostConfig.SecurityOpt[1] = `seccomp=${profile}`));
    await expect(attempt).rejects.toMatchObject({ code: 'engine' });
  });

  it.each([
    ['of no rules', '{}'],
    ['of no text', ''],
  ])('%s, which engines take, is found before anything runs', async (_name, profile) => {
    const container = await start((spec) => (spec.HostConfig.SecurityOpt[1] = `seccomp=${profile}`));
    const findings = checkInspect(containerSpec(plan), await engine.inspect(container));
    expect(findings.map(({ field }) => field)).toContain('SecurityOpt.seccomp');
    const untouched = checkInspect(containerSpec(plan), await engine.inspect(containers.ours));
    expect(untouched.map(({ field }) => field)).not.toContain('SecurityOpt.seccomp');
  });
});
