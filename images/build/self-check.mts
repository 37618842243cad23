/** Fails the build when the image is not what a run relies on. */
import { spawnSync } from 'node:child_process';
import { existsSync, lstatSync, mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { GUEST, SLOT_COUNT, uidPair } from '../../src/protocol/guest.ts';
import { fail } from './fail.ts';
import { COMMAND_FOLDERS, findCommand } from './find-command.ts';
import { runPi } from './pi-process.ts';
import { AGENT_BIN_FOLDER, BIN_FOLDER } from './places.ts';
import { walk } from './walk.ts';

/** The pinned version of pi, as images/pi/package.json names it. */
const PI_VERSION = '1.6.0';
const SEARCHED = [...COMMAND_FOLDERS, BIN_FOLDER];

checkCommands();
checkMountPoints();
checkFiles();
checkPiVersion();
await checkPiAnswers();

function checkCommands(): void {
  for (const name of ['bash', 'tar', 'git', 'node']) {
    if (findCommand([name], SEARCHED) === undefined) fail(`self check: ${name} is missing`);
  }
  const rg =
    findCommand(['rg'], [AGENT_BIN_FOLDER, ...SEARCHED]) ?? fail('self check: rg is missing, so pi could not search');
  const fd =
    findCommand(['fd', 'fdfind'], [AGENT_BIN_FOLDER, ...SEARCHED]) ??
    fail('self check: fd is missing, so pi could not find files');
  const empty = mkdtempSync('/tmp/pi-sandbox-check-');
  expectSuccess(rg, ['--version']);
  expectSuccess(fd, ['--no-require-git', '--glob', '*', empty]);
  expectSuccess(GUEST.tini, ['--version']);
  expectSuccess(findCommand(['git'], SEARCHED) ?? 'git', ['init', '-q', join(empty, 'repository')]);
  rmSync(empty, { recursive: true });
}

function expectSuccess(command: string, args: string[]): void {
  const { status, stderr, error } = spawnSync(command, args, { encoding: 'utf8' });
  if (status !== 0) fail(`self check: ${command} ${args.join(' ')} failed: ${error?.message ?? stderr.trim()}`);
}

function checkMountPoints(): void {
  for (const folder of [GUEST.workspace, GUEST.home, GUEST.spill]) {
    if (existsSync(folder)) fail(`self check: ${folder} exists`);
  }
}

function checkFiles(): void {
  for (const { path, entry } of walk('/')) {
    if (entry.isFile() && (lstatSync(path).mode & 0o6000) !== 0) fail(`self check: ${path} is setuid or setgid`);
  }
  for (const { path, entry } of walk(GUEST.root)) {
    const stats = lstatSync(path);
    if (stats.uid !== 0 || stats.gid !== 0) fail(`self check: ${path} does not belong to root`);
    if (!entry.isSymbolicLink() && (stats.mode & 0o022) !== 0)
      fail(`self check: ${path} is writable for others than root`);
  }
}

function checkPiVersion(): void {
  const { stdout } = spawnSync(GUEST.node, [GUEST.piCli, '--version'], {
    encoding: 'utf8',
    env: { HOME: '/tmp', PI_OFFLINE: '1', PI_CODING_AGENT_DIR: GUEST.agentDir, NODE_DISABLE_COMPILE_CACHE: '1' },
  });
  if (stdout.trim() !== PI_VERSION)
    fail(`self check: pi says version ${stdout.trim() || '(nothing)'}, not ${PI_VERSION}`);
}

async function checkPiAnswers(): Promise<void> {
  // The last pair: what holds for it holds for those before it.
  const { agent } = uidPair(SLOT_COUNT - 1);
  const cache = walk(GUEST.compileCache);
  const linked = [...cache].some(
    ({ path, entry }) =>
      entry.isSymbolicLink() && path.endsWith(`-${agent}`) && existsSync(join(path, '..', readlinkSync(path))),
  );
  if (!linked) fail(`self check: the compile cache has nothing for user id ${agent}`);
  const events = await runPi({
    uid: agent,
    compileCache: GUEST.compileCache,
    commands: [{ id: 's', type: 'get_state' }],
    last: (event) => event['type'] === 'response' && event['id'] === 's',
  });
  const state = events.find((event) => event['id'] === 's');
  const text = JSON.stringify(state);
  if (state?.['success'] !== true || !text.includes('127.0.0.1') || !text.includes('pi-messages'))
    fail(`self check: pi answered ${text}`);
}
