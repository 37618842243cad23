/**
 * Collects tools that run in any glibc image: each program with its own loader and libraries, behind a script that calls
 * that loader, so that the version of the image's own glibc does not matter. Argument: the folder to fill; it is
 * written for its later place, TOOLS_FOLDER.
 */
import { execFileSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  realpathSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { fail } from './fail.ts';
import { findCommand } from './find-command.ts';
import { TOOLS_FOLDER } from './places.ts';

const out = process.argv[2] ?? fail('tools: no folder given');
const bin = join(out, 'bin');
const gitCore = join(out, 'libexec/git-core');
for (const folder of [bin, join(out, 'lib'), join(out, 'libexec'), gitCore]) mkdirSync(folder, { recursive: true });

/** Programs beside git that need a network, a mail server or a login. */
const GIT_LEFT_OUT = /^git-(remote-|http-|imap-send|daemon|credential-|shell$|send-email)/;

const rg = findCommand(['rg']) ?? fail('tools: no rg');
const fd = findCommand(['fd', 'fdfind']) ?? fail('tools: no fd');
const git = findCommand(['git']) ?? fail('tools: no git');
wrap(rg, join(bin, 'rg'));
wrap(fd, join(bin, 'fd'));
wrapGit(git);
copyFileSync('/usr/bin/tini-static', join(out, 'tini'));

function wrapGit(program: string): void {
  const settings = `GIT_EXEC_PATH=${TOOLS_FOLDER}/libexec/git-core GIT_TEMPLATE_DIR=${TOOLS_FOLDER}/share/git-templates`;
  wrap(program, join(bin, 'git'), settings);
  symlinkSync('../../bin/git', join(gitCore, 'git'));
  cpSync('/usr/share/git-core/templates', join(out, 'share/git-templates'), { recursive: true });
  const execPath = execFileSync(program, ['--exec-path'], { encoding: 'utf8' }).trim();
  const itself = realpathSync(program);
  for (const entry of readdirSync(execPath, { withFileTypes: true })) {
    const source = join(execPath, entry.name);
    const target = join(gitCore, entry.name);
    if (entry.name === 'git' || GIT_LEFT_OUT.test(entry.name)) continue;
    if (entry.isDirectory()) cpSync(source, target, { recursive: true });
    else if (sameFile(source, itself)) symlinkSync('../../bin/git', target);
    else if (isElf(source)) wrap(realpathSync(source), target);
    else copyFileSync(source, target);
  }
}

function wrap(program: string, script: string, settings = ''): void {
  const real = realpathSync(program);
  const name = basename(real);
  copyFileSync(real, join(out, 'libexec', name));
  const { loader, libraries } = dependencies(real);
  copyFileSync(realpathSync(loader), join(out, 'lib/ld.so'));
  chmodSync(join(out, 'lib/ld.so'), 0o755);
  for (const library of libraries) copyFileSync(realpathSync(library), join(out, 'lib', basename(library)));
  const command = `${TOOLS_FOLDER}/lib/ld.so --argv0 "$0" --library-path ${TOOLS_FOLDER}/lib ${TOOLS_FOLDER}/libexec/${name} "$@"`;
  writeFileSync(script, `#!/bin/sh\n${settings === '' ? '' : `export ${settings}\n`}exec ${command}\n`);
  chmodSync(script, 0o755);
}

function dependencies(program: string): { loader: string; libraries: string[] } {
  const lines = execFileSync('ldd', [program], { encoding: 'utf8' }).split('\n');
  const libraries = lines.flatMap((line) => /=> (\/\S+) \(/.exec(line)?.[1] ?? []);
  const loader = lines.map((line) => /^\s*(\/\S*ld-linux\S*) \(/.exec(line)?.[1]).find((path) => path !== undefined);
  return { loader: loader ?? fail(`tools: ${program} names no loader`), libraries };
}

function sameFile(path: string, other: string): boolean {
  if (lstatSync(path).isSymbolicLink()) return realpathSync(path) === other;
  const [a, b] = [lstatSync(path), lstatSync(other)];
  return a.ino === b.ino && a.dev === b.dev;
}

function isElf(path: string): boolean {
  return readFileSync(path)
    .subarray(0, 4)
    .equals(Buffer.from([0x7f, 0x45, 0x4c, 0x46]));
}
