import type { EngineFacts } from '../../container/engine.ts';
import { GiB } from '../../lib/bytes.ts';
import { formatBytes } from '../../lib/format.ts';
import { openAdvisories, parseVersion, RUNC_ADVISORIES } from './advisories.ts';
import { type Check, fail, ok, warn } from './check.ts';

/** Memory that a run with the default sizes needs, bytes: its file systems and 1.5 GiB for processes. */
const USUAL_MEMORY = 2.25 * GiB;

const RUNC_ADVICE =
  'Update runc. A package of a distribution may have the fix under this number, which cannot be told from here.';

type EngineCheck = (facts: EngineFacts) => Check[];

/** Everything that an engine's own description of itself tells. */
export function engineChecks(facts: EngineFacts): Check[] {
  const checks: readonly EngineCheck[] = [version, runc, seccomp, cgroup, lsm, users, resources, runtimes];
  return checks.flatMap((check) => check(facts));
}

const version: EngineCheck = ({ version: found, apiVersion, arch, kernel }) => [
  ok('engine-version', `${found}, API ${apiVersion}, ${arch}, Linux ${kernel}`),
];

const runc: EngineCheck = ({ runtimeVersion }) => {
  if (parseVersion(runtimeVersion) === undefined) {
    const meaning = 'The engine names no release, so known faults cannot be told.';
    return [warn('runc-version', runtimeVersion, meaning, 'Run "runc --version" on the machine of the engine.')];
  }
  const open = openAdvisories(runtimeVersion, RUNC_ADVISORIES);
  if (open.length === 0) return [ok('runc-version', runtimeVersion, 'It has the fixes of all faults known here.')];
  return open.map(({ ids, fixedIn, needs }, at) =>
    warn(
      'runc-version',
      `${ids.join(', ')}: fixed in ${fixedIn.join(' and ')}, you have ${runtimeVersion}`,
      `Needs ${needs}.`,
      // The same for all, so said once.
      at === open.length - 1 ? RUNC_ADVICE : undefined,
    ),
  );
};

const seccomp: EngineCheck = ({ securityOptions }) =>
  has(securityOptions, 'seccomp')
    ? [ok('seccomp', 'available', 'Runs use a filter of their own, an allow-list.')]
    : [
        fail(
          'seccomp',
          'not available',
          'System calls cannot be filtered, so no run is started.',
          'Use an engine and a kernel with seccomp.',
        ),
      ];

const cgroup: EngineCheck = ({ cgroupVersion }) => [
  ok('cgroup', `version ${cgroupVersion}`, 'Memory, processes and processors are limited through it.'),
];

const lsm: EngineCheck = ({ securityOptions }) => {
  const active = ['apparmor', 'selinux'].filter((name) => has(securityOptions, name));
  if (active.length > 0) return [ok('security-module', active.join(', '), 'Runs must carry its label to be started.')];
  const meaning = 'No AppArmor or SELinux stands behind the other walls of the container.';
  return [
    warn('security-module', 'none is active', meaning, 'Enable AppArmor or SELinux on the machine of the engine.'),
  ];
};

const users: EngineCheck = ({ securityOptions }) => {
  if (has(securityOptions, 'rootless')) return [ok('user-namespace', 'rootless engine')];
  if (has(securityOptions, 'userns')) return [ok('user-namespace', 'user ids are remapped')];
  return [
    warn(
      'user-namespace',
      'shared with the host',
      'User ids in a container are user ids of the host. Runs use ids above 10000 without any privilege.',
      'A rootless engine, or userns-remap, adds one more wall.',
    ),
  ];
};

const resources: EngineCheck = ({ memory, cpus }) => {
  const found = `${formatBytes(memory)} memory, ${cpus} processors`;
  if (memory >= USUAL_MEMORY) return [ok('resources', found)];
  const meaning = `A run with the default sizes may use up to ${formatBytes(USUAL_MEMORY)}.`;
  return [warn('resources', found, meaning, 'Give the engine more memory, or runs less with --memory and --disk.')];
};

const runtimes: EngineCheck = ({ runtimes: names }) => {
  const others = names.filter((name) => !/runc/.test(name) && !name.startsWith('io.containerd.'));
  const gvisor = others.includes('runsc') ? 'Use gVisor with --runtime runsc.' : undefined;
  return [ok('runtimes', ['runc', ...others].join(', '), gvisor)];
};

/** Entries look like `name=seccomp,profile=default`. */
function has(options: readonly string[], name: string): boolean {
  return options.some((option) => option.split(',').includes(`name=${name}`));
}
