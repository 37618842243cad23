/**
 * Copies the hostile repository and arms it: `node scripts/demo-traps.ts WORK`. Makes WORK/repo (with odd files and a
 * git configuration that runs commands), WORK/markers (where everything that runs leaves a file) and WORK/traps.json.
 */
import { execFileSync } from 'node:child_process';
import { createHash, randomBytes } from 'node:crypto';
import {
  appendFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  writeFileSync,
} from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { type Static, Type } from '@sinclair/typebox';

export const Traps = Type.Object({
  repo: Type.String(),
  markers: Type.String(),
  /** Secrets that must stay on the host, by where they lie. */
  canaries: Type.Object({ environment: Type.String(), ignoredFile: Type.String() }),
  /** A text in a file that does enter the sandbox: the search must find it, or it can find nothing. */
  control: Type.String(),
  /** Hash of every path, mode and content of the repository. */
  tree: Type.String(),
});
export type Traps = Static<typeof Traps>;

const source = fileURLToPath(new URL('../examples/hostile-repo', import.meta.url));
const canary = () => `canary-${randomBytes(12).toString('hex')}`;

/** Runs git as it is meant to be run on somebody else's files: nothing of the user's or the repository's config applies. */
function git(repo: string, ...args: string[]): void {
  const safe = [
    '-c',
    'core.fsmonitor=false',
    '-c',
    'core.hooksPath=/dev/null',
    '-c',
    'user.name=demo',
    '-c',
    'user.email=demo@localhost',
  ];
  execFileSync('git', [...safe, '-C', repo, ...args], {
    env: { PATH: process.env['PATH'], HOME: repo, GIT_CONFIG_NOSYSTEM: '1' },
    stdio: ['ignore', 'ignore', 'inherit'],
  });
}

export function armTraps(work: string): Traps {
  const repo = path.join(work, 'repo');
  const markers = path.join(work, 'markers');
  mkdirSync(markers);
  cpSync(source, repo, { recursive: true, verbatimSymlinks: true });
  const traps = { environment: canary(), ignoredFile: canary() };
  const control = canary();
  appendFileSync(path.join(repo, '.env'), `RELEASE_TOKEN=${traps.ignoredFile}\n`);
  appendFileSync(path.join(repo, 'README.md'), `\nRelease name: ${control}\n`);

  git(repo, 'init', '--quiet');
  git(repo, 'add', '--all');
  git(repo, 'commit', '--quiet', '--message', 'Release 2.3.1');
  writeFileSync(path.join(repo, '.git/config'), hostileConfig(markers), { flag: 'a' });

  execFileSync('mkfifo', [path.join(repo, 'release.pipe')]);
  writeFileSync(path.join(repo, 'notes\u001b]0;owned\u0007.txt'), 'A file name that would rename the terminal.\n');
  return { repo, markers, canaries: traps, control, tree: treeHash(repo) };
}

/** Each entry runs a command during an everyday git command; each command leaves a file. */
function hostileConfig(markers: string): string {
  const leave = (name: string) => `touch '${markers}/${name}'; false`;
  return [
    '[core]',
    `\tfsmonitor = "${leave('core.fsmonitor')}"`,
    '\thooksPath = hooks',
    '[filter "stamp"]',
    `\tclean = "${leave('filter.clean')}"`,
    '[diff "stamp"]',
    `\ttextconv = "${leave('diff.textconv')}"`,
    '',
  ].join('\n');
}

/** Hash over every path, kind, mode and content below a folder. Pipes and links are named, not opened or followed. */
export function treeHash(folder: string): string {
  const hash = createHash('sha256');
  const visit = (relative: string): void => {
    const full = path.join(folder, relative);
    const info = lstatSync(full);
    hash.update(`${relative}\0${info.mode}\0`);
    if (info.isDirectory()) for (const name of readdirSync(full).sort()) visit(path.join(relative, name));
    else if (info.isSymbolicLink()) hash.update(readlinkSync(full));
    else if (info.isFile()) hash.update(readFileSync(full));
  };
  visit('.');
  return hash.digest('hex');
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const work = process.argv[2];
  if (work === undefined) throw new Error('usage: demo-traps.ts WORK');
  const traps = armTraps(work);
  writeFileSync(path.join(work, 'traps.json'), JSON.stringify(traps));
  console.log(traps.canaries.environment);
}
