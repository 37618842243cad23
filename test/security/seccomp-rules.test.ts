import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { checkInspect } from '../../src/container/posture/inspect-check.ts';
import { type ContainerSpec, containerSpec } from '../../src/plan/container-spec.ts';
import { FALLBACK_SYSCALLS, SYSCALL_GROUPS } from '../../src/plan/seccomp-groups.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import type { ContainerPlan } from '../../src/protocol/plan.ts';
import { removedAfterwards, testContainerPlan, testEngine } from '../support/engine.ts';
import { inside } from '../support/inside.ts';
import { MAY_BE_MISSING, rows } from './seccomp-rows.ts';

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
const fallback = () => FALLBACK_SYSCALLS.flatMap((entry) => entry.names);

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
    const listed = new Set([...unconditional(), ...conditional(), ...fallback()]);
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

  it('leave grep at work in a pipe whose end is /dev/null, as configure scripts ask their questions', async () => {
    const script = 'echo typedef int uid_t | grep uid_t >/dev/null';
    const found = await inside(engine, containers.ours, { uid: plan.agentUid, script });
    expect(found).toMatchObject({ exitCode: 0, stderr: '' });
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
  ...['fsopen', 'open_tree', 'move_mount', 'tee', 'vmsplice', 'pidfd_getfd', 'seccomp', 'mq_open', 'msgget'],
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
