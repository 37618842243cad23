import { readFile } from 'node:fs/promises';
import path from 'node:path';
import type { ContainerSpec } from '../../plan/container-spec.ts';
import { compare, type Finding } from './finding.ts';

const ROOT = '/sys/fs/cgroup';
const PERIOD_US = 100_000;

/** What the kernel's own accounting files say about the container, numbers as text; `max` is no limit. */
export interface CgroupView {
  readonly memory: string;
  /** Memory and swap together. */
  readonly memorySwap: string;
  readonly pids: string;
  /** Processors, as a decimal number. */
  readonly cpus: string;
}

/** Reads the limits of a process's control group on the host. Rejects when they cannot be read. */
export async function cgroupView(pid: number): Promise<CgroupView> {
  const groups = (await readFile(`/proc/${pid}/cgroup`, 'utf8')).trim().split('\n');
  const unified = groups.find((line) => line.startsWith('0::'));
  const controller = (name: string) => groups.find((line) => line.split(':')[1]?.split(',').includes(name));
  const read = async (group: string, folder: string, file: string) =>
    (await readFile(path.join(ROOT, folder, group.split(':').slice(2).join(':'), file), 'utf8')).trim();

  const [memory, pids, cpu] = ['memory', 'pids', 'cpu'].map(controller);
  if (memory !== undefined && pids !== undefined && cpu !== undefined) {
    const [quota, period] = await Promise.all([
      read(cpu, 'cpu', 'cpu.cfs_quota_us'),
      read(cpu, 'cpu', 'cpu.cfs_period_us'),
    ]);
    return {
      memory: await read(memory, 'memory', 'memory.limit_in_bytes'),
      memorySwap: await read(memory, 'memory', 'memory.memsw.limit_in_bytes'),
      pids: await read(pids, 'pids', 'pids.max'),
      cpus: String(Number(quota) / Number(period)),
    };
  }
  if (unified === undefined) throw new Error(`the control group of process ${pid} cannot be found`);
  const limit = await read(unified, '', 'memory.max');
  const swap = await read(unified, '', 'memory.swap.max');
  const [quota, period] = (await read(unified, '', 'cpu.max')).split(' ');
  return {
    memory: limit,
    memorySwap: swap === 'max' ? 'max' : String(Number(limit) + Number(swap)),
    pids: await read(unified, '', 'pids.max'),
    cpus: quota === 'max' ? 'max' : String(Number(quota) / Number(period ?? PERIOD_US)),
  };
}

/** Checks the control group against the plan. */
export function checkCgroup(view: CgroupView, spec: ContainerSpec): Finding[] {
  const { Memory, MemorySwap, PidsLimit, NanoCpus } = spec.HostConfig;
  return [
    ...compare('Memory', 'cgroup', String(Memory), view.memory),
    ...compare('MemorySwap', 'cgroup', String(MemorySwap), view.memorySwap),
    ...compare('PidsLimit', 'cgroup', String(PidsLimit), view.pids),
    ...compare('NanoCpus', 'cgroup', String(NanoCpus / 1e9), view.cpus),
  ];
}
