import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { type CliResult, tempFolder } from '../support/cli.ts';
import { testEngine } from '../support/engine.ts';
import { bash, type HeldRun, HOLD, holdRun, processesOf } from '../support/live-run.ts';

const MiB = 1024 * 1024;
const PIDS = 160;
const DISK_MB = 96;
const CPUS = 0.5;
const OPEN_FILES = 16_384;
const BUSY_SECONDS = 3;

/** Each ends by itself and says what became of it. The names of the tests tell what each is for. */
const ATTACKS = {
  forks: `python3 -c '
import os, signal
children = []
try:
    while True:
        child = os.fork()
        if child == 0: signal.pause()
        children.append(child)
except OSError as error: print(os.strerror(error.errno), len(children) < ${PIDS})
for child in children: os.kill(child, 9); os.waitpid(child, 0)'`,
  memory: `python3 -c '
held = []
while True: held.append(bytearray(16 << 20))'; echo exit $?`,
  bytes: `cd /workspace; dd if=/dev/zero of=full bs=1M count=2000 2>&1 | grep -o 'No space left on device\\|File too large'; stat -c %s full; rm full; echo again >small && cat small`,
  inodes: `cd /tmp; mkdir many; python3 -c '
import os
made = 0
try:
    while True:
        open(f"many/{made}", "w").close(); made += 1
except OSError as error: print(os.strerror(error.errno)); print(made < 20000)'; rm -r many`,
  spill: `dd if=/dev/zero of=/spill/full bs=1M count=500 2>&1 | grep -o 'No space left on device'; rm -f /spill/full; seq 20000 | tail -1`,
  files: `python3 -c '
import os
made = 0
try:
    while True: os.dup(0); made += 1
except OSError as error: print(os.strerror(error.errno), made < ${OPEN_FILES})'`,
  kernel: `python3 - <<'END'
import ctypes, mmap, os
libc = ctypes.CDLL(None, use_errno=True)
page = mmap.mmap(-1, 16 << 20)
address = ctypes.addressof(ctypes.c_char.from_buffer(page))
def answer(value): return os.strerror(ctypes.get_errno()) if value < 0 else 'done'
print('mlock', answer(libc.mlock(ctypes.c_void_p(address), 16 << 20)))
print('mq_open', answer(libc.mq_open(b'/q', os.O_CREAT | os.O_RDWR, 0o600, None)))
END`,
  core: `cd /tmp; (node -e 'process.kill(process.pid, "SIGSEGV")'; echo $?) 2>/dev/null; find /tmp /workspace /home/agent /spill -name '*core*' -type f | wc -l`,
  busy: `python3 -c '
import os, subprocess, time
started = time.monotonic()
loops = [subprocess.Popen(["timeout", "${BUSY_SECONDS}", "bash", "-c", "while :; do :; done"]) for _ in range(2)]
for loop in loops: loop.wait()
used = os.times()
print((used.children_user + used.children_system) / (time.monotonic() - started))'`,
  after: `echo still here; echo $((6 * 7))`,
};

let engine: Engine;
let run: HeldRun & AsyncDisposable;
let ended: CliResult;
let answers: Record<keyof typeof ATTACKS, string>;
const counters = { pidsMax: 0, pidsEvents: 0, memoryLimit: 0, memoryPeak: 0, oomKills: 0, throttled: 0 };
let memoryFreeBefore = 0;

const memoryAvailable = (): number =>
  Number(/MemAvailable:\s+(\d+)/.exec(readFileSync('/proc/meminfo', 'utf8'))?.[1]) * 1024;

/** The kernel's account of the container, on either version of control groups. */
function readCounters(): void {
  const [pid] = run.processes();
  const groups = readFileSync(`/proc/${pid}/cgroup`, 'utf8').trim().split('\n');
  const read = (controller: string, file: string) => {
    const group = groups.find((line) => line.split(':')[1]?.split(',').includes(controller));
    const folder =
      group === undefined
        ? (groups.find((line) => line.startsWith('0::'))?.slice(3) ?? '')
        : path.join(controller, group.split(':').slice(2).join(':'));
    return readFileSync(path.join('/sys/fs/cgroup', folder, file), 'utf8');
  };
  const number = (text: string, name: string) => Number(new RegExp(`^${name} (\\d+)$`, 'm').exec(text)?.[1]);
  const old = groups.some((line) => line.split(':')[1] === 'memory');
  counters.pidsMax = Number(read('pids', 'pids.max'));
  counters.pidsEvents = number(read('pids', 'pids.events'), 'max');
  counters.memoryLimit = Number(read('memory', old ? 'memory.limit_in_bytes' : 'memory.max'));
  counters.memoryPeak = Number(read('memory', old ? 'memory.max_usage_in_bytes' : 'memory.peak'));
  counters.oomKills = number(read('memory', old ? 'memory.oom_control' : 'memory.events'), 'oom_kill');
  counters.throttled = number(read('cpu', 'cpu.stat'), 'nr_throttled');
}

beforeAll(async () => {
  engine = await testEngine();
  const repo = path.join(tempFolder(), 'repo');
  mkdirSync(repo);
  writeFileSync(path.join(repo, 'README.md'), 'A project.\n');
  memoryFreeBefore = memoryAvailable();
  run = await holdRun({
    engine,
    repo,
    args: ['--pids', String(PIDS), '--memory', '700m', '--disk', `${DISK_MB}m`, '--cpus', String(CPUS)],
    turns: [...Object.values(ATTACKS).map((command) => [bash(command)]), [HOLD]],
  });
  readCounters();
  ended = await run.release();
  const results = run.results();
  answers = Object.fromEntries(
    Object.keys(ATTACKS).map((name, at) => [name, results[at]?.trim() ?? 'nothing']),
  ) as typeof answers;
}, 120_000);

afterAll(() => run?.[Symbol.asyncDispose]());

describe('a command that takes all it can get', () => {
  it('of processes meets the planned number, and the run goes on (RS1)', () => {
    expect(answers.forks).toBe('Resource temporarily unavailable True');
    expect(counters.pidsMax).toBe(PIDS);
    expect(counters.pidsEvents).toBeGreaterThan(0);
  });

  it('of memory is killed, and only it (RS2)', () => {
    expect(answers.memory).toMatch(/exit 137/);
    expect(counters.oomKills).toBeGreaterThan(0);
    expect(counters.memoryPeak).toBeLessThanOrEqual(700 * MiB);
    expect(counters.memoryLimit).toBe(700 * MiB);
  });

  it('of the workspace meets its size, and can write again after tidying up (RS3)', () => {
    const [reason, size, again] = answers.bytes.split('\n');
    expect(reason).toBe('No space left on device');
    expect(Number(size)).toBeLessThanOrEqual(DISK_MB * MiB);
    expect(Number(size)).toBeGreaterThan((DISK_MB - 16) * MiB);
    expect(again).toBe('again');
  });

  it('of file names meets their number (RS4)', () => {
    expect(answers.inodes).toBe('No space left on device\nTrue');
  });

  it("of the folder for long output does not keep pi from taking a command's output (RS3, D16)", () => {
    expect(answers.spill).toBe('No space left on device\n20000');
  });

  it('of descriptors meets the planned number (RS5)', () => {
    expect(answers.files).toBe('Too many open files True');
  });

  it('of locked memory and message queues gets none (RS9)', () => {
    expect(answers.kernel).toBe('mlock Operation not permitted\nmq_open Operation not permitted');
  });

  it('of the processors gets its share: two busy loops are held back (RS7)', () => {
    expect(Number(answers.busy)).toBeGreaterThan(0);
    expect(Number(answers.busy)).toBeLessThan(CPUS * 1.3);
    expect(counters.throttled).toBeGreaterThan(0);
  });

  it('leaves no memory image behind when it crashes (CR7)', () => {
    expect(answers.core).toMatch(/139\n0$/);
  });

  it('ends in a completed run with nothing left, and the host has its memory back', async () => {
    expect(answers.after).toBe('still here\n42');
    expect(ended.code).toBe(0);
    expect(processesOf(run.container)).toEqual([]);
    expect(await engine.state(run.container)).toBeUndefined();
    // Others work on this machine too; a leaked container would hold hundreds of megabytes of tmpfs.
    expect(memoryAvailable()).toBeGreaterThan(memoryFreeBefore - 600 * MiB);
  });
});
