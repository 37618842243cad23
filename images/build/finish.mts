/** Changes the system part of the final image: no setuid file, the pool of users, name service. Runs as root in the build. */
import { appendFileSync, chmodSync, existsSync, lstatSync, readFileSync, writeFileSync } from 'node:fs';
import { GUEST, SLOT_COUNT, uidPair } from '../../src/protocol/guest.ts';
import { fail } from './fail.ts';
import { makeVolumeFolder } from './volume-folder.ts';
import { walk } from './walk.ts';

const SETUID_OR_SETGID = 0o6000;

makeVolumeFolder();
stripSetuid();
addUsers();
nameLocalhost();
trustWorkspace();

function stripSetuid(): void {
  for (const { path, entry } of walk('/')) {
    if (!entry.isFile()) continue;
    const { mode } = lstatSync(path);
    if ((mode & SETUID_OR_SETGID) !== 0) chmodSync(path, mode & 0o777);
  }
}

function addUsers(): void {
  const people: string[] = [];
  const groups: string[] = [];
  for (let slot = 0; slot < SLOT_COUNT; slot += 1) {
    const number = String(slot).padStart(2, '0');
    for (const [role, id] of Object.entries(uidPair(slot))) {
      people.push(`${role}${number}:x:${id}:${id}::${GUEST.home}:/bin/bash`);
      groups.push(`${role}${number}:x:${id}:`);
    }
  }
  appendEntries('/etc/passwd', people);
  appendEntries('/etc/group', groups);
}

function appendEntries(file: string, entries: readonly string[]): void {
  const before = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : [];
  const ids = new Set(entries.map((entry) => entry.split(':')[2]));
  const names = new Set(entries.map((entry) => entry.split(':')[0]));
  const kept = before.filter((line) => !(ids.has(line.split(':')[2]) && names.has(line.split(':')[0])));
  const taken = kept.find((line) => ids.has(line.split(':')[2]));
  if (taken !== undefined)
    fail(`${file} of this image gives ${taken.split(':')[0]} an id that the sandbox uses: ${taken.split(':')[2]}`);
  writeFileSync(file, `${[...kept, ...entries].join('\n')}\n`);
}

/** A container without a network has an empty /etc/hosts; this module knows localhost and the own name without it. */
function nameLocalhost(): void {
  const folders = [
    '/lib',
    '/usr/lib',
    '/lib64',
    '/usr/lib64',
    '/usr/lib/x86_64-linux-gnu',
    '/usr/lib/aarch64-linux-gnu',
  ];
  if (!folders.some((folder) => existsSync(`${folder}/libnss_myhostname.so.2`))) return;
  const file = '/etc/nsswitch.conf';
  const lines = existsSync(file) ? readFileSync(file, 'utf8').trimEnd().split('\n') : ['passwd: files', 'group: files'];
  const others = lines.filter((line) => !/^\s*hosts:/.test(line));
  writeFileSync(file, `${[...others, 'hosts: files myhostname dns'].join('\n')}\n`);
}

/** A mounted repository belongs to a user of the host, and git refuses to work in a folder of somebody else. */
function trustWorkspace(): void {
  appendFileSync(
    '/etc/gitconfig',
    `[safe]\n\tdirectory = ${GUEST.workspace}\n\tdirectory = ${GUEST.volumeWorkspace}\n`,
  );
}
