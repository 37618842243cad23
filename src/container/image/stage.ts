import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { SandboxError } from '../../errors.ts';
import { CommandError, runCommand } from '../../lib/command.ts';
import { ownedFolder, sweepOwnedFolders } from '../owned-folder.ts';
import { removeUnread } from './unread-files.ts';

const NPM_TIMEOUT_MS = 10 * 60_000;
const NPM_OUTPUT_BYTES = 4 * 1024 * 1024;

/** Processor names: the engine's, and Node's own, which npm and the packages of Node use. */
const NODE_ARCH: Readonly<Record<string, string>> = { amd64: 'x64', x86_64: 'x64', arm64: 'arm64', aarch64: 'arm64' };

/** Node's name of an engine's processor architecture. */
export function nodeArch(engineArch: string): string {
  const arch = NODE_ARCH[engineArch];
  if (arch === undefined) {
    throw new SandboxError(
      'image',
      `No image can be built for this engine: there is no Node for its architecture ${engineArch}.`,
      {
        hint: 'Use an engine on x86-64 or 64-bit ARM.',
      },
    );
  }
  return arch;
}

export interface StageOptions {
  /** The product's root. */
  readonly root: string;
  /** Where the staging folder goes: an existing folder of ours that nobody else can write to. */
  readonly parent: string;
  readonly arch: string;
  /** Whole environment of npm. */
  readonly env: Readonly<Record<string, string>>;
  readonly signal: AbortSignal;
}

/** The build context as a folder. Disposing removes it. */
export interface Staged extends AsyncDisposable {
  readonly folder: string;
}

/** Lays out the build context in a new folder: pi and Node from npm, pinned by our lock file, and the guest files. */
export async function stageContext(options: StageOptions): Promise<Staged> {
  await sweepOwnedFolders(options.parent);
  const owned = await ownedFolder(options.parent, 'image');
  try {
    await fill(owned.folder, options);
    options.signal.throwIfAborted();
  } catch (error) {
    await owned[Symbol.asyncDispose]();
    throw error;
  }
  return owned;
}

async function fill(folder: string, { root, arch, env, signal }: StageOptions): Promise<void> {
  const pi = join(folder, 'pi');
  await mkdir(pi);
  for (const name of ['package.json', 'package-lock.json']) await cp(join(root, 'images/pi', name), join(pi, name));
  await installPi(pi, arch, env, signal);

  // npm's own record of an installation holds the address of the registry that it used.
  await rm(join(pi, 'node_modules/.package-lock.json'), { force: true });
  const nodePackage = join(pi, `node_modules/node-linux-${arch}`);
  await rename(join(nodePackage, 'bin/node'), join(folder, 'node'));
  await rm(nodePackage, { recursive: true });
  await rm(join(pi, 'node_modules/.bin/node'), { force: true });
  await removeUnread(join(pi, 'node_modules'));

  await cp(join(root, 'dist/images/guest'), join(folder, 'guest'), { recursive: true });
  await cp(join(root, 'dist/images/build'), join(folder, 'build'), { recursive: true });
  for (const name of await readdir(join(root, 'images/build'))) {
    if (name.endsWith('.sh')) await cp(join(root, 'images/build', name), join(folder, 'build', name));
  }
  await cp(join(root, 'Dockerfile.pi'), join(folder, 'Dockerfile.pi'));
}

async function installPi(pi: string, arch: string, env: StageOptions['env'], signal: AbortSignal): Promise<void> {
  const flags = ['--ignore-scripts', '--omit=dev', '--no-audit', '--no-fund', '--no-update-notifier'];
  try {
    await runCommand('npm', ['ci', ...flags, '--os=linux', `--cpu=${arch}`, '--libc=glibc'], {
      cwd: pi,
      env,
      maxBytes: NPM_OUTPUT_BYTES,
      timeoutMs: NPM_TIMEOUT_MS,
      signal,
    });
  } catch (cause) {
    signal.throwIfAborted();
    if (!(cause instanceof CommandError)) throw cause;
    throw new SandboxError('image', `pi could not be installed for the image: ${cause.message}`, {
      hint:
        cause.reason === 'not-found' ? 'Install npm; it comes with Node.' : 'Check that npm can reach its registry.',
      cause,
    });
  }
}
