import { type ContainerSpec, containerSpec } from '../../src/plan/container-spec.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import type { ContainerPlan } from '../../src/protocol/plan.ts';

/** The plan's container, with a main process that waits instead of the bridge, which would leave without a wire. */
export function idleSpec(plan: ContainerPlan): ContainerSpec {
  const spec = structuredClone(containerSpec(plan));
  spec.Entrypoint = [GUEST.tini, '--', '/bin/sleep', '600'];
  return spec;
}

/**
 * The same container with every protection taken off, for probes to show that they can succeed. `binds` are visible in
 * it; `hosts` are names that it can resolve.
 */
export function weakSpec(plan: ContainerPlan, extra: { binds?: string[]; hosts?: string[] } = {}): ContainerSpec {
  const spec = idleSpec(plan);
  spec.NetworkDisabled = false;
  spec.Hostname = '';
  Object.assign(spec.HostConfig, {
    // Not a bridge: engines may be set up without one.
    NetworkMode: 'host',
    Privileged: true,
    CapDrop: [],
    CapAdd: ['ALL'],
    SecurityOpt: ['seccomp=unconfined'],
    ReadonlyRootfs: false,
    IpcMode: 'private',
    CgroupnsMode: 'host',
    MaskedPaths: [],
    ReadonlyPaths: [],
    Ulimits: [],
    Dns: [],
    DnsSearch: [],
    ExtraHosts: extra.hosts ?? [],
    Binds: extra.binds ?? [],
  });
  return spec;
}
