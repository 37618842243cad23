import { chmodSync, existsSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { git } from '../changes/support.ts';
import { git as plainGit } from '../workspace/support.ts';
import { tempFolder } from './cli.ts';

export interface Trick {
  /** Settings of the repository; SCRIPT stands for a program that leaves a marker. */
  readonly config: Readonly<Record<string, string>>;
  /** What sets it off when somebody types it. */
  readonly control: readonly string[];
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** All can be in force at once, each with a remote, a filter and a marker of its own. */
export const TRICKS: Readonly<Record<string, Trick>> = {
  'core.fsmonitor (D41)': { config: { 'core.fsmonitor': 'SCRIPT' }, control: ['status'] },
  'filter.clean (D41)': { config: { 'filter.evil.clean': 'SCRIPT' }, control: ['add', 'a.txt'] },
  'diff.textconv (D41)': { config: { 'diff.evil.textconv': 'SCRIPT' }, control: ['show', '--textconv', 'HEAD:a.txt'] },
  'core.sshCommand (GT4)': {
    config: { 'core.sshCommand': 'SCRIPT', 'remote.ssh.url': 'ssh://nowhere.invalid/x' },
    control: ['fetch', 'ssh'],
  },
  'core.gitProxy (GT4)': {
    config: { 'core.gitProxy': 'SCRIPT', 'remote.proxy.url': 'git://nowhere.invalid/x' },
    control: ['fetch', 'proxy'],
  },
  'remote.uploadpack (GT4)': {
    config: { 'remote.pack.url': '/nonexistent', 'remote.pack.uploadpack': 'SCRIPT' },
    control: ['fetch', 'pack'],
  },
  'an address that is a program (GT4)': {
    config: { 'protocol.ext.allow': 'always', 'remote.program.url': 'ext::SCRIPT x' },
    control: ['fetch', 'program'],
  },
  'url.insteadOf (GT4)': {
    config: {
      'url.ext::SCRIPT .insteadOf': 'https://nowhere.invalid/',
      'remote.other.url': 'https://nowhere.invalid/x',
    },
    control: ['fetch', 'other'],
  },
  'credential.helper (GT4)': {
    config: { 'credential.helper': 'SCRIPT' },
    control: ['-c', 'core.askPass=true', 'credential', 'fill'],
    input: 'protocol=https\nhost=nowhere.invalid\n\n',
  },
  'the address of a submodule (GT4)': {
    config: { 'submodule.lib.url': 'ext::SCRIPT x', 'submodule.lib.active': 'true' },
    control: ['submodule', 'update'],
    // The clone of a submodule does not read the settings of the repository around it.
    env: { GIT_ALLOW_PROTOCOL: 'ext' },
  },
  'an object that is fetched when it is read (GT4)': {
    config: {
      'core.repositoryFormatVersion': '1',
      'extensions.partialClone': 'lazy',
      'remote.lazy.url': '/nonexistent',
      'remote.lazy.promisor': 'true',
      'remote.lazy.uploadpack': 'SCRIPT',
    },
    control: ['cat-file', '-p', 'HEAD:lazy.txt'],
  },
};

export interface ArmedTricks {
  /** Names of the tricks that have run their program. */
  sprung(): string[];
  /** Types what sets a trick off, and says whether its program ran: the positive control. */
  springs(name: string): boolean;
}

/** Puts tricks into force in a repository. */
export function arm(repo: string, tricks: Readonly<Record<string, Trick>>): ArmedTricks {
  const armed = Object.entries(tricks).map(([name, trick]) => ({ name, trick, marker: trap(repo, trick) }));
  for (const { marker } of armed) rmSync(marker, { force: true });
  return {
    sprung: () => armed.filter(({ marker }) => existsSync(marker)).map(({ name }) => name),
    springs: (wanted) => {
      const found = armed.find(({ name }) => name === wanted);
      if (found === undefined) throw new Error(`no trick ${wanted}`);
      const { trick, marker } = found;
      rmSync(marker, { force: true });
      try {
        git(repo, trick.control, { input: Buffer.from(trick.input ?? ''), env: trick.env ?? {} });
      } catch {
        // The trap may make git fail; only the marker counts.
      }
      return existsSync(marker);
    },
  };
}

/** The marker that its program leaves. */
function trap(repo: string, { config }: Trick): string {
  const folder = tempFolder('tr-');
  const [script, marker] = [path.join(folder, 'evil'), path.join(folder, 'MARKER')];
  writeFileSync(script, `#!/bin/sh\n: > ${marker}\nexec cat 2>/dev/null </dev/null\n`);
  chmodSync(script, 0o755);
  for (const [key, value] of Object.entries(config)) {
    const pair = [key.replace('SCRIPT', script), value.replace('SCRIPT', script)];
    plainGit(repo, '-c', 'core.fsmonitor=false', 'config', ...pair);
  }
  return marker;
}
