import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { tempFolder } from '../support/cli.ts';
import { removedAfterwards, testContainerPlan, testEngine } from '../support/engine.ts';
import { inside } from '../support/inside.ts';
import { bash, type HeldRun, HOLD, holdRun } from '../support/live-run.ts';
import { weakSpec } from '../support/weak.ts';

const SCRIPT = readFileSync(path.join(import.meta.dirname, 'programs/enumerate.sh'), 'utf8');

let engine: Engine;
let run: HeldRun & AsyncDisposable;
let found: Map<string, string>;
let weak: Map<string, string>;
const removed = removedAfterwards(() => engine);

const parse = (text: string): Map<string, string> =>
  new Map(
    text
      .trim()
      .split('\n')
      .map((line) => [line.slice(0, line.indexOf(': ')), line.slice(line.indexOf(': ') + 2)]),
  );

beforeAll(async () => {
  engine = await testEngine();
  const repo = path.join(tempFolder(), 'repo');
  mkdirSync(repo);
  writeFileSync(path.join(repo, 'README.md'), 'A project.\n');
  writeFileSync(path.join(repo, 'enumerate.sh'), SCRIPT);
  run = await holdRun({ engine, repo, turns: [[bash('bash enumerate.sh')], [HOLD]] });
  found = parse(run.results()[0] ?? '');
  const spec = weakSpec(await testContainerPlan(), {
    binds: [`${repo}:/run/secrets:ro`, `${repo}:/home/somebody:ro`, `${repo}/README.md:/run/docker.sock:ro`],
  });
  spec.Env.push('SERVICE_TOKEN=x');
  const container = removed(await engine.create(spec));
  await engine.start(container);
  weak = parse((await inside(engine, container, { uid: 0, script: LEFT_LYING_ABOUT + SCRIPT })).stdout);
  await run.release();
}, 120_000);

afterAll(() => run?.[Symbol.asyncDispose]());

const NOTHING = 'none';

/** All that there is to be found, question by question; docs/security.md says the same in words. */
const EXPECTED: Readonly<Record<string, string | RegExp>> = {
  'effective capabilities': NOTHING,
  'capabilities within reach': NOTHING,
  'no new privileges': '1',
  'system call filter': '2',
  'further groups': NOTHING,
  // The user namespace is the engine's business: the host's own, or one that maps the ids to others.
  'user namespace map': /^0 \d+ \d+$/,
  'security module label': /^(none|docker-default \(enforce\)|.*:container_t:.*)$/,
  'setuid files': NOTHING,
  'files with capabilities': NOTHING,
  // Part of util-linux, which the base image cannot do without; it needs setns, which is refused.
  'tools that help': 'nsenter',
  'engine sockets': NOTHING,
  'named local sockets': NOTHING,
  disks: NOTHING,
  devices: '/dev/full /dev/null /dev/pts/ptmx /dev/random /dev/tty /dev/urandom /dev/zero',
  'writable mounts': '/home/agent /spill /tmp /workspace',
  'mounts from a disk of the host': '/etc/hostname',
  release_agent: NOTHING,
  'control groups': NOTHING,
  'kernel settings': NOTHING,
  'anything in /sys': NOTHING,
  'shared memory': NOTHING,
  'root of the main process': NOTHING,
  interfaces: 'lo',
  routes: NOTHING,
  neighbours: NOTHING,
  'name servers': NOTHING,
  'hosts file': NOTHING,
  // 127.0.0.1:18080, the bridge.
  listening: '0100007F:46A0',
  'variables that sound like secrets': NOTHING,
  'environment of the main process': NOTHING,
  'credential files': NOTHING,
  'key files': NOTHING,
  'marks of a container': '/.dockerenv',
  'container id in mountinfo': 'yes',
  'container id in cgroup or hostname': NOTHING,
  'storage of the engine': 'overlay folders',
  'home folders of the host': NOTHING,
  'told about the host': 'version cpuinfo meminfo stat loadavg uptime',
  'hardware in /sys': NOTHING,
  'users with processes': '2',
  'first process': 'tini',
};

/** What a container without protection gives away on top: each of these questions can be answered. */
const SHOWN_BY_CONTROL: readonly string[] = [
  ...['effective capabilities', 'capabilities within reach', 'no new privileges', 'system call filter', 'setuid files'],
  ...['files with capabilities', 'engine sockets', 'named local sockets', 'disks', 'devices', 'writable mounts'],
  ...['mounts from a disk of the host', 'control groups', 'kernel settings', 'anything in /sys', 'shared memory'],
  ...[
    'root of the main process',
    'interfaces',
    'routes',
    'name servers',
    'hosts file',
    'credential files',
    'key files',
  ],
  ...['variables that sound like secrets', 'environment of the main process', 'container id in cgroup or hostname'],
  ...['home folders of the host', 'told about the host', 'hardware in /sys'],
];

/** What an ordinary image or user might have left lying about. */
const LEFT_LYING_ABOUT = `
chmod 4755 /usr/bin/id
touch /tmp/id_ed25519
python3 -c '
import os, struct
os.setxattr("/usr/bin/env", "security.capability", struct.pack("<IIIII", 0x02000001, 1 << 13, 0, 0, 0))'
python3 -c '
import socket, time
server = socket.socket(socket.AF_UNIX)
server.bind("/tmp/named.sock")
open("/tmp/ready", "w").close()
time.sleep(60)' >/dev/null 2>&1 &
until [ -e /tmp/ready ]; do sleep 0.05; done
`;

describe('an attacker who looks around in the sandbox', () => {
  it('finds this and nothing else', () => {
    expect([...found.keys()].sort()).toEqual(Object.keys(EXPECTED).sort());
  });

  it.each(Object.entries(EXPECTED))('%s: %s', (question, answer) => {
    if (typeof answer === 'string') expect(found.get(question)).toBe(answer);
    else expect(found.get(question)).toMatch(answer);
  });

  it.each(SHOWN_BY_CONTROL)('would find more without protection: %s', (question) => {
    expect(weak.get(question)).toBeDefined();
    expect(weak.get(question)).not.toBe(found.get(question));
  });
});
