import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { agentPosture, judge, mainPosture, type Posture, requirePosture } from '../../src/container/posture/posture.ts';
import { type ContainerSpec, containerSpec } from '../../src/plan/container-spec.ts';
import type { ContainerPlan } from '../../src/protocol/plan.ts';
import { removedAfterwards, testContainerPlan, testEngine } from '../support/engine.ts';

let engine: Engine;
let plan: ContainerPlan;
const removed = removedAfterwards(() => engine);

beforeAll(async () => {
  engine = await testEngine();
  plan = await testContainerPlan();
});

/** Creates what `change` makes of the plan and reads it back against the unchanged plan. */
async function postureOf(change: (spec: ContainerSpec) => void, probeOnly = false): Promise<Posture> {
  const asked = structuredClone(containerSpec(plan));
  change(asked);
  const container = removed(await engine.create(asked));
  try {
    await engine.start(container);
    const spec = containerSpec(plan);
    const subject = { engine, container, spec, bridgeUid: plan.bridgeUid, agentUid: plan.agentUid, probeOnly };
    const main = await mainPosture(subject, await engine.inspect(container));
    const exec = await engine.createExec(container, {
      user: `${plan.agentUid}:${plan.agentUid}`,
      workingDir: '/',
      env: [],
      cmd: ['/bin/sleep', '60'],
      stdin: false,
    });
    (await engine.startExec(exec, false)).on('error', () => {}).resume();
    let { pid } = await engine.execState(exec);
    for (let look = 0; pid === 0 && look < 500; look++) ({ pid } = await engine.execState(exec));
    return judge([main, await agentPosture(subject, pid)], []);
  } finally {
    await engine.remove(container);
  }
}

const fieldsOf = (posture: Posture): string[] => [...new Set(posture.findings.map((finding) => finding.field))];

type Change = (spec: ContainerSpec) => void;
const without =
  (field: keyof ContainerSpec['HostConfig']): Change =>
  (spec) => {
    delete (spec.HostConfig as Record<string, unknown>)[field];
  };

/** One field taken away or weakened each, and the finding that must name it. */
const MUTANTS: readonly [name: string, change: Change, field: string | RegExp][] = [
  ['root filesystem writable', without('ReadonlyRootfs'), 'ReadonlyRootfs'],
  ['capabilities kept', without('CapDrop'), 'CapDrop'],
  ['a capability added', (spec) => spec.HostConfig.CapAdd.push('NET_RAW'), 'CapAdd'],
  ['new privileges possible', (spec) => spec.HostConfig.SecurityOpt.shift(), 'SecurityOpt.no-new-privileges'],
  ["the engine's own seccomp profile", (spec) => spec.HostConfig.SecurityOpt.pop(), 'SecurityOpt.seccomp'],
  ['no seccomp at all', (spec) => (spec.HostConfig.SecurityOpt[1] = 'seccomp=unconfined'), 'SecurityOpt.seccomp'],
  ['an empty seccomp profile', (spec) => (spec.HostConfig.SecurityOpt[1] = 'seccomp={}'), 'SecurityOpt.seccomp'],
  ['privileged', (spec) => (spec.HostConfig.Privileged = true), 'Privileged'],
  [
    'the default network',
    (spec) => {
      spec.NetworkDisabled = false;
      spec.HostConfig.NetworkMode = 'bridge';
    },
    'NetworkMode',
  ],
  [
    "the host's network",
    (spec) => {
      spec.NetworkDisabled = false;
      spec.HostConfig.NetworkMode = 'host';
      spec.Hostname = '';
    },
    'NetworkMode',
  ],
  ["the host's processes", (spec) => (spec.HostConfig.PidMode = 'host'), 'PidMode'],
  [
    "the host's names",
    (spec) => {
      spec.HostConfig.UTSMode = 'host';
      spec.Hostname = '';
    },
    'UTSMode',
  ],
  ['shared memory', without('IpcMode'), 'IpcMode'],
  ["the host's control groups", (spec) => (spec.HostConfig.CgroupnsMode = 'host'), 'CgroupnsMode'],
  [
    'no memory limit',
    (spec) => {
      without('Memory')(spec);
      without('MemorySwap')(spec);
    },
    'Memory',
  ],
  ['swap', without('MemorySwap'), 'MemorySwap'],
  ['no process limit', without('PidsLimit'), 'PidsLimit'],
  [
    'a misspelt process limit',
    (spec) => {
      without('PidsLimit')(spec);
      Object.assign(spec.HostConfig, { PidLimit: 256 });
    },
    'PidsLimit',
  ],
  ['all processors', without('NanoCpus'), 'NanoCpus'],
  ...['nofile', 'fsize', 'core', 'memlock', 'msgqueue', 'rtprio', 'nice'].map(
    (name): [string, Change, string | RegExp] => [
      `no limit ${name}`,
      (spec) => (spec.HostConfig.Ulimits = spec.HostConfig.Ulimits.filter((limit) => limit.Name !== name)),
      `Ulimits.${name}`,
    ],
  ),
  ...['/tmp', '/spill', '/home/agent', '/workspace'].map((path): [string, Change, string | RegExp] => [
    `no size for ${path}`,
    (spec) => (spec.HostConfig.Tmpfs[path] = 'rw,exec,nosuid,nodev'),
    `Tmpfs.${path}`,
  ]),
  ['a missing folder', (spec) => delete spec.HostConfig.Tmpfs['/spill'], 'Tmpfs./spill'],
  ['one more folder', (spec) => (spec.HostConfig.Tmpfs['/extra'] = 'rw'), /^(Tmpfs\.\/extra|Mounts)$/],
  ['a bind mount', (spec) => spec.HostConfig.Binds.push('/usr/share:/mnt'), 'Binds'],
  ['a volume', (spec) => ((spec.Volumes as Record<string, object>)['/data'] = {}), /^(Volumes|Mounts)$/],
  [
    'a device',
    (spec) => {
      const device = { PathOnHost: '/dev/zero', PathInContainer: '/dev/extra', CgroupPermissions: 'rwm' };
      (spec.HostConfig.Devices as unknown[]).push(device);
    },
    'Devices',
  ],
  ['one more group', (spec) => spec.HostConfig.GroupAdd.push('44'), 'GroupAdd'],
  ["only the engine's masks", without('MaskedPaths'), 'MaskedPaths'],
  ['no masks', (spec) => (spec.HostConfig.MaskedPaths = []), 'MaskedPaths'],
  ['no read-only paths', (spec) => (spec.HostConfig.ReadonlyPaths = []), 'ReadonlyPaths'],
  ["output on the host's disk", without('LogConfig'), 'LogConfig'],
  ['restarts', (spec) => (spec.HostConfig.RestartPolicy.Name = 'always'), 'RestartPolicy'],
  ['removed by the engine', (spec) => (spec.HostConfig.AutoRemove = true), 'AutoRemove'],
  ['no out-of-memory kill', (spec) => (spec.HostConfig.OomKillDisable = true), 'OomKillDisable'],
  ['other name servers', without('Dns'), 'Dns'],
  ['another main user', (spec) => (spec.User = '10001:10001'), 'User'],
  ['root', (spec) => (spec.User = ''), 'User'],
  ['a terminal', (spec) => (spec.Tty = true), 'Tty'],
  ['input that stays open', (spec) => (spec.StdinOnce = false), 'StdinOnce'],
  ['a host name of the engine', (spec) => (spec.Hostname = ''), 'Hostname'],
  ['a health check', (spec) => (spec.Healthcheck = { Test: ['CMD', 'true'] }), 'Healthcheck'],
  ['a polite stop signal', (spec) => (spec.StopSignal = 'SIGTERM'), 'StopSignal'],
  ['another folder', (spec) => (spec.WorkingDir = '/tmp'), 'WorkingDir'],
  ['a variable for Node', (spec) => spec.Env.push('NODE_OPTIONS=--inspect'), 'Env'],
  ["the engine's init", (spec) => (spec.HostConfig.Init = true), 'Init'],
];

/** Fields whose absence means the same to an engine as the value that we send, with the reason why that is so. */
const SAME_WHEN_ABSENT: Readonly<Record<string, string>> = {
  Privileged: 'false is the default; the mutant above sets true',
  CapAdd: 'empty is the default; the mutant above adds one',
  Init: 'false is the default; the mutant above sets true',
  AutoRemove: 'false is the default; the mutant above sets true',
  PidMode: 'own namespace is the default; the mutant above shares it',
  UTSMode: 'own namespace is the default; the mutant above shares it',
  UsernsMode: 'the engine decides unless "host" is asked for',
  GroupAdd: 'empty is the default; the mutant above adds one',
  OomKillDisable: 'false is the default; the mutant above sets true',
  Binds: 'empty is the default; the mutant above adds one',
  Mounts: 'empty is the default',
  VolumesFrom: 'empty is the default',
  Devices: 'empty is the default; the mutant above adds one',
  DeviceRequests: 'empty is the default',
  DeviceCgroupRules: 'empty is the default',
  DnsOptions: 'empty is the default',
  ExtraHosts: 'empty is the default',
  Links: 'empty is the default',
  PortBindings: 'empty is the default',
  PublishAllPorts: 'false is the default',
  RestartPolicy: 'no is the default; the mutant above restarts',
  ReadonlyPaths: 'the list is the one that engines have by default; the mutant above empties it',
};

describe('the posture check', () => {
  it('finds nothing wrong with what was planned', async () => {
    const posture = await postureOf(() => {});
    expect(posture.findings).toEqual([]);
    expect(() => requirePosture(posture)).not.toThrow();
  });

  it('finds nothing wrong from inside either, where the host cannot look', async () => {
    const posture = await postureOf(() => {}, true);
    expect(posture.findings).toEqual([]);
    expect(posture.evidence).toBe('probe');
  });

  it.each(MUTANTS)('notices %s', async (_name, change, field) => {
    let fields: string[];
    try {
      fields = fieldsOf(await postureOf(change));
    } catch (error) {
      // An engine that refuses the combination protects as well as a finding does; it has to say so itself.
      expect(error).toMatchObject({ code: 'engine' });
      expect(String(error)).not.toMatch(/No container engine answers/);
      return;
    }
    expect(fields.some((name) => (typeof field === 'string' ? name === field : field.test(name)))).toBe(true);
  });

  it('notices any one field that is taken out of the request', async () => {
    const { HostConfig } = containerSpec(plan);
    const silent: string[] = [];
    for (const field of Object.keys(HostConfig) as (keyof typeof HostConfig)[]) {
      if (field in SAME_WHEN_ABSENT) continue;
      const fields = await postureOf(without(field)).then(fieldsOf, () => [field as string]);
      if (!fields.some((name) => name === field || name.startsWith(`${field}.`))) silent.push(field);
    }
    expect(silent).toEqual([]);
  }, 180_000);

  it('notices from inside what matters most, where the host cannot look', async () => {
    const changes: [Change, string][] = [
      [without('CapDrop'), 'CapDrop'],
      [(spec) => spec.HostConfig.SecurityOpt.pop(), 'SecurityOpt.seccomp'],
      [without('ReadonlyRootfs'), 'ReadonlyRootfs'],
    ];
    for (const [change, field] of changes) expect(fieldsOf(await postureOf(change, true))).toContain(field);
  });

  it('names the field and what the user can do', async () => {
    const posture = await postureOf(without('ReadonlyRootfs'));
    expect(() => requirePosture(posture)).toThrowError(/ReadonlyRootfs.*planned "ro", found "rw"/s);
    const accepted = judge([posture], ['ReadonlyRootfs']);
    expect(accepted.accepted.length).toBeGreaterThan(0);
    expect(fieldsOf(accepted)).not.toContain('ReadonlyRootfs');
  });
});
