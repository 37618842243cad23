import { SandboxError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import type { ContainerSpec } from './container-spec.ts';

/** Fields that the posture check names although they are no fields of the request. */
const SEEN_ONLY = ['MountNamespace', 'SecurityModule'];

/** Refuses names that no check would ever report: a typo would look like an accepted weakness and be none. */
export function checkAcceptWeaker(names: readonly string[], spec: ContainerSpec): void {
  const known = postureFields(spec);
  for (const name of names) {
    if (known.includes(name)) continue;
    const guess = nearest(name, known);
    throw new SandboxError('usage', `--accept-weaker ${name}: the container has no such field.`, {
      hint: guess === undefined ? 'A run that was refused names the fields that differ.' : `Did you mean "${guess}"?`,
    });
  }
}

function postureFields(spec: ContainerSpec): string[] {
  const { HostConfig, Labels, ...config } = spec;
  const { Ulimits, Tmpfs, SecurityOpt: _parts, ...host } = HostConfig;
  return [
    ...Object.keys(config),
    ...Object.keys(host),
    ...Object.keys(Labels).map((name) => `Labels.${name}`),
    ...Ulimits.map(({ Name }) => `Ulimits.${Name}`),
    ...Object.keys(Tmpfs).map((path) => `Tmpfs.${path}`),
    'SecurityOpt.no-new-privileges',
    'SecurityOpt.seccomp',
    ...SEEN_ONLY,
  ];
}
