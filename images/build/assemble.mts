/** Fills what the final image takes over: Node, tools, the agent folder and the warmed compile cache. Runs as root in the build. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  symlinkSync,
} from 'node:fs';
import { basename, join } from 'node:path';
import { GUEST } from '../../src/protocol/guest.ts';
import { findCommand } from './find-command.ts';
import { AGENT_BIN_FOLDER, BIN_FOLDER, STAGED, TOOLS_FOLDER } from './places.ts';
import { warmCompileCache } from './warm.ts';

for (const folder of [BIN_FOLDER, GUEST.agentDir]) mkdirSync(folder, { mode: 0o755 });
placeNode();
copyFileSync(join(STAGED.tools, 'tini'), GUEST.tini);
chmodSync(GUEST.tini, 0o755);
placeTools();
await warmCompileCache();

mkdirSync(STAGED.out);
for (const folder of [BIN_FOLDER, GUEST.agentDir, TOOLS_FOLDER, GUEST.compileCache]) {
  if (existsSync(folder)) renameSync(folder, join(STAGED.out, basename(folder)));
}

/** The base's own Node serves when it is the same file; a second copy would cost 120 MB. */
function placeNode(): void {
  const own = findCommand(['node']);
  if (own !== undefined && readFileSync(own).equals(readFileSync(STAGED.node))) {
    symlinkSync(own, GUEST.node);
    return;
  }
  copyFileSync(STAGED.node, GUEST.node);
  chmodSync(GUEST.node, 0o755);
}

function placeTools(): void {
  const fd = findCommand(['fd', 'fdfind']);
  const bundle = {
    rg: findCommand(['rg']) === undefined,
    git: findCommand(['git']) === undefined,
    fd: fd === undefined,
    newerFd: fd !== undefined && !knowsNoRequireGit(fd),
  };
  if (fd?.endsWith('/fdfind')) symlinkSync(fd, join(BIN_FOLDER, 'fd'));
  if (!Object.values(bundle).includes(true)) return;
  cpSync(STAGED.tools, TOOLS_FOLDER, { recursive: true, verbatimSymlinks: true });
  for (const name of ['rg', 'git', 'fd'] as const) {
    if (bundle[name]) symlinkSync(join(TOOLS_FOLDER, 'bin', name), join(BIN_FOLDER, name));
  }
  if (bundle.newerFd) {
    mkdirSync(AGENT_BIN_FOLDER, { mode: 0o755 });
    symlinkSync(join(TOOLS_FOLDER, 'bin/fd'), join(AGENT_BIN_FOLDER, 'fd'));
  }
}

/** pi passes this option outside git repositories; fd before 10 ends with an error on it. */
function knowsNoRequireGit(fd: string): boolean {
  const empty = mkdtempSync('/tmp/pi-sandbox-fd-');
  return spawnSync(fd, ['--no-require-git', '--glob', '*', empty]).status === 0;
}
