import { constants, lstatSync } from 'node:fs';
import { access, readFile } from 'node:fs/promises';
import { release, tmpdir } from 'node:os';
import path from 'node:path';
import type { EngineFacts } from '../../container/engine.ts';
import { messageOf, SandboxError } from '../../errors.ts';
import { CommandError, runCommand } from '../../lib/command.ts';
import { checkPrivateFolder } from '../../transcript/private-folder.ts';
import { RunFolder } from '../../transcript/run-folder.ts';
import { runsFolder } from '../../transcript/state-root.ts';
import { type Check, fail, ok, warn } from './check.ts';

const GIT_MS = 5_000;
const GIT_BYTES = 4_096;
const CAP_SYS_PTRACE = 19n;
/** Any id of the usual length, to see whether its control socket could be opened. */
const SAMPLE_RUN = '20000101T000000-000000';

export function nodeCheck(): Check {
  // The executable refuses older ones before this code is loaded.
  return ok('node', `${process.versions.node} (${process.execPath})`);
}

/** Whether runs can be kept. Creates nothing. */
export async function stateCheck(stateRoot: () => string): Promise<Check> {
  const advice = 'Set XDG_STATE_HOME to a folder of yours.';
  const bad = (found: string): Check => fail('state-folder', found, 'Runs cannot be kept, so none is started.', advice);
  try {
    const root = stateRoot();
    RunFolder.checkPath(root, SAMPLE_RUN);
    for (const part of [root, runsFolder(root)]) if (exists(part)) checkPrivateFolder(part);
    await access(nearestExisting(runsFolder(root)), constants.W_OK | constants.X_OK);
    return ok('state-folder', root);
  } catch (error) {
    if (error instanceof SandboxError) return bad(error.message);
    return bad(`no folder can be made: ${messageOf(error)}`);
  }
}

export async function gitCheck(env: Readonly<Record<string, string>>): Promise<Check> {
  try {
    const { stdout } = await runCommand('git', ['--version'], {
      cwd: tmpdir(),
      env,
      maxBytes: GIT_BYTES,
      timeoutMs: GIT_MS,
    });
    return ok('git', Buffer.from(stdout).toString().trim());
  } catch (error) {
    if (!(error instanceof CommandError)) throw error;
    const meaning = 'Which files are ignored is then worked out without git, from the ignore files alone.';
    return warn('git', error.reason === 'not-found' ? 'not found' : error.message, meaning, 'Install git.');
  }
}

/** From where the container of a run will be looked at before anything enters it. */
export async function evidenceCheck(facts: EngineFacts): Promise<Check> {
  const sameKernel = facts.local && process.platform === 'linux' && facts.kernel === release();
  const readable = sameKernel && (await mayLookAtOthers());
  if (readable) return ok('evidence', 'host', 'What a container may do is read back from outside of it.');
  const why = sameKernel
    ? 'this user may not look at other processes'
    : "the engine's processes are not on this machine";
  return warn(
    'evidence',
    `probe: ${why}`,
    'What a container may do is read back from the engine and from inside, before anything untrusted enters. Every report says so.',
  );
}

/** The processes of a run belong to user ids of their own; looking at them takes the capability CAP_SYS_PTRACE. */
async function mayLookAtOthers(): Promise<boolean> {
  const status = await readFile('/proc/self/status', 'utf8').catch(() => '');
  const effective = /^CapEff:\s*([0-9a-f]+)$/m.exec(status)?.[1] ?? '0';
  return ((BigInt(`0x${effective}`) >> CAP_SYS_PTRACE) & 1n) === 1n;
}

function exists(file: string): boolean {
  return lstatSync(file, { throwIfNoEntry: false }) !== undefined;
}

function nearestExisting(folder: string): string {
  return exists(folder) ? folder : nearestExisting(path.dirname(folder));
}
