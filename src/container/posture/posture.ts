import { access } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { SandboxError } from '../../errors.ts';
import type { ContainerSpec } from '../../plan/container-spec.ts';
import { stateIn } from '../container-state.ts';
import type { Engine } from '../engine.ts';
import { cgroupView, checkCgroup } from './cgroup-check.ts';
import { compare, type Finding } from './finding.ts';
import { hostView, isOurs, ownNamespaces } from './host-view.ts';
import { checkInspect } from './inspect-check.ts';
import { checkMounts } from './mount-check.ts';
import { probeView } from './probe-view.ts';
import { checkProcess } from './process-check.ts';
import { type Evidence, type ProcessView, statusField } from './process-view.ts';

/** What was seen of a started container, and how it differs from the plan. */
export interface Posture {
  readonly evidence: Evidence;
  readonly findings: readonly Finding[];
  /** Findings that the user accepted by name. */
  readonly accepted: readonly Finding[];
  /** Facts in words that are no fault but that a report states: shared namespaces, missing LSM, weak evidence. */
  readonly notes: readonly string[];
}

/** Paths to mask that every Linux kernel has; used where the kernel of the engine cannot be looked at. */
const ALWAYS_THERE = ['/proc/interrupts', '/proc/cmdline', '/proc/sys', '/proc/irq', '/proc/bus', '/proc/fs'];

/** Names under which runtimes prepare a process, and how long they are waited for, milliseconds. */
const RUNTIME_NAME = /^(runc|crun|youki)\b/;
const RUNTIME_MS = 5_000;
const POLL_MS = 2;

export interface PostureSubject {
  readonly engine: Engine;
  readonly container: string;
  readonly spec: ContainerSpec;
  readonly bridgeUid: number;
  readonly agentUid: number;
  /** Never look from the host, even where it could. */
  readonly probeOnly?: boolean;
}

/**
 * Reads back the container and its main process. `inspected` is what the engine said about it since it runs. Nothing
 * untrusted may have entered yet.
 */
export async function mainPosture(subject: PostureSubject, inspected: unknown): Promise<Posture> {
  const { engine, spec } = subject;
  const state = inspected === undefined ? undefined : stateIn(inspected);
  if (state === undefined || !state.running) {
    throw new SandboxError(
      'engine',
      `The container ended while it was starting (exit code ${state?.exitCode ?? 'unknown'}).`,
    );
  }
  const { view, evidence, controller } = await look(subject, state.pid, subject.bridgeUid, '1');
  const host = evidence === 'host';
  const findings = [
    ...checkInspect(spec, inspected),
    ...checkProcess(view, spec, subject.bridgeUid, 'main process', controller),
    ...checkMounts(view.mountinfo, spec, await kernelPaths(spec, host), 'main process'),
    ...(await checkLimits(subject, state.pid, host)),
    ...checkLabel(engine, view),
  ];
  return { evidence, findings, accepted: [], notes: notes(engine, view, host, controller) };
}

/** Reads back the process that is about to become pi. `pid` is the host's id of it. */
export async function agentPosture(subject: PostureSubject, pid: number): Promise<Posture> {
  const { spec } = subject;
  const { view, evidence, controller } = await look(subject, pid, subject.agentUid, 'self');
  const findings = [
    ...checkProcess(view, spec, subject.agentUid, 'pi process', controller),
    ...checkMounts(view.mountinfo, spec, await kernelPaths(spec, evidence === 'host'), 'pi process'),
  ];
  return { evidence, findings, accepted: [], notes: [] };
}

/** Two postures of one container as one, with the findings that the user accepts by name set apart. */
export function judge(postures: readonly Posture[], acceptWeaker: readonly string[]): Posture {
  const findings = unique(postures.flatMap((posture) => posture.findings));
  return {
    evidence: postures.every((posture) => posture.evidence === 'host') ? 'host' : 'probe',
    findings: findings.filter((finding) => !acceptWeaker.includes(finding.field)),
    accepted: findings.filter((finding) => acceptWeaker.includes(finding.field)),
    notes: postures.flatMap((posture) => posture.notes),
  };
}

/** Throws SandboxError `posture` naming every field that is not as planned. */
export function requirePosture(posture: Posture): void {
  if (posture.findings.length === 0) return;
  const list = posture.findings
    .map((f) => `${f.field} (${f.seen}): planned ${f.expected}, found ${f.actual}`)
    .join('; ');
  const fields = [...new Set(posture.findings.map((finding) => finding.field))];
  throw new SandboxError('posture', `The container is not what was planned, so nothing was put into it. ${list}.`, {
    hint: `If this engine cannot do better and you accept it: ${fields.map((field) => `--accept-weaker ${field}`).join(' ')}.`,
  });
}

interface Look {
  readonly view: ProcessView;
  readonly evidence: Evidence;
  /** Namespaces of this controller, when they can be compared. */
  readonly controller: Record<string, string> | undefined;
}

/**
 * The host's own view of a process, or, where the host may not or cannot look, the one from inside. Engines name a
 * process before it has become what was asked for: until then it is the runtime, still with its privileges.
 */
async function look(subject: PostureSubject, pid: number, uid: number, inside: '1' | 'self'): Promise<Look> {
  const { engine, container } = subject;
  const until = performance.now() + RUNTIME_MS;
  while (engine.facts.local && !subject.probeOnly && (await isOurs(pid, container))) {
    const seen = await Promise.all([hostView(pid), ownNamespaces()]).catch(() => undefined);
    if (seen === undefined) break;
    const [view, controller] = seen;
    const isRuntime = RUNTIME_NAME.test(statusField(view.status, 'Name') ?? '');
    if (!isRuntime || performance.now() > until) return { view, evidence: 'host', controller };
    await delay(POLL_MS);
  }
  const [view, controller] = await Promise.all([
    probeView(engine, container, uid, inside),
    engine.facts.local ? ownNamespaces().catch(() => undefined) : undefined,
  ]);
  return { view, evidence: 'probe', controller };
}

/** The limits of the control group. A host that may not look at processes may often still read them. */
async function checkLimits(
  { engine, container, spec }: PostureSubject,
  pid: number,
  host: boolean,
): Promise<Finding[]> {
  if (!engine.facts.local || !(await isOurs(pid, container))) return [];
  const view = await cgroupView(pid).catch((error: unknown) => {
    if (host) throw error;
    return undefined;
  });
  return view === undefined ? [] : checkCgroup(view, spec);
}

async function kernelPaths(spec: ContainerSpec, host: boolean): Promise<ReadonlySet<string>> {
  if (!host) return new Set(ALWAYS_THERE);
  const { MaskedPaths, ReadonlyPaths } = spec.HostConfig;
  const paths = [...MaskedPaths, ...ReadonlyPaths].filter((path) => !path.startsWith('/dev/'));
  const found = await Promise.all(
    paths.map((path) =>
      access(path).then(
        () => [path],
        () => [],
      ),
    ),
  );
  return new Set(found.flat());
}

/** Where the engine says that a security module is active, the process must carry its label. */
function checkLabel(engine: Engine, view: ProcessView): Finding[] {
  const active = engine.facts.securityOptions.some((option) => /name=(apparmor|selinux)/.test(option));
  if (!active) return [];
  const confined = view.label !== '' && !/^unconfined/.test(view.label);
  return confined ? [] : compare('SecurityModule', 'main process', 'confined', view.label || 'no label');
}

function notes(
  engine: Engine,
  view: ProcessView,
  host: boolean,
  controller: Record<string, string> | undefined,
): string[] {
  const list: string[] = [];
  if (!host) {
    list.push(
      'The host cannot see the processes of this engine; what they are allowed was read from inside, before anything untrusted entered.',
    );
  }
  const { namespaces } = view;
  if (namespaces !== undefined && controller !== undefined && namespaces.user === controller.user) {
    list.push('The container shares the user namespace of the host: its user ids are host user ids.');
  }
  if (!engine.facts.securityOptions.some((option) => /name=(apparmor|selinux)/.test(option))) {
    list.push('No Linux security module (AppArmor, SELinux) confines the container.');
  }
  if (statusField(view.status, 'Seccomp_filters') === undefined) {
    list.push('This kernel does not say how many seccomp filters are in force.');
  }
  return list;
}

function unique(findings: readonly Finding[]): Finding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify(finding), finding])).values()];
}
