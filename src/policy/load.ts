import { realpath } from 'node:fs/promises';
import { resolve } from 'node:path';
import { messageOf, SandboxError } from '../errors.ts';
import type { Layer } from './layer.ts';
import { readPolicyBytes } from './read-file.ts';
import { refuseInside, repositoryBounds } from './repository-bounds.ts';
import { userPolicyFile } from './user-file.ts';

export interface PolicyPlaces {
  /** Of `--policy`. */
  readonly file?: string | undefined;
  /** Folder of the user's own configuration of pi-sandbox; absent when there is none. */
  readonly configDir?: string | undefined;
  readonly homeDir: string;
  /** Real path of the folder that the agent works on; absent when there is none. */
  readonly root?: string;
}

/**
 * The files that have a say, as layers, weakest first: the user's own, then that of `--policy`. The repository has none.
 *
 * @throws SandboxError `policy` for the first thing that is wrong
 */
export async function loadPolicyLayers({ file, configDir, homeDir, root }: PolicyPlaces): Promise<Layer[]> {
  const refuse = await refuser(root, homeDir);
  if (configDir !== undefined) await refuse(configDir, `The configuration folder ${configDir}`);
  const own = configDir === undefined ? undefined : await userPolicyFile(configDir);
  const layers: Layer[] = [];
  for (const path of [own, file === undefined ? undefined : resolve(file)]) {
    if (path === undefined) continue;
    await refuse(path, `The policy ${path}`);
    layers.push(await loadLayer(path));
  }
  return layers;
}

async function refuser(
  root: string | undefined,
  homeDir: string,
): Promise<(path: string, what: string) => Promise<void>> {
  if (root === undefined) return async () => {};
  const bounds = await repositoryBounds(root, await realpath(homeDir).catch(() => homeDir));
  return async (path, what) => {
    await refuseInside(bounds, path, what).catch((error: unknown) => {
      if (error instanceof SandboxError) throw error;
      throw new SandboxError('policy', `${what} cannot be used: ${messageOf(error)}.`, { cause: error });
    });
  };
}

async function loadLayer(path: string): Promise<Layer> {
  const { bytes, unsafe } = await readPolicyBytes(path, path);
  if (unsafe !== undefined) throw unsafe;
  // The parser is loaded by those who have a policy.
  const { parsePolicyFile } = await import('./parse-file.ts');
  const { layer, problems } = parsePolicyFile(bytes, { path, shown: path });
  if (layer !== undefined) return layer;
  throw firstOf(problems);
}

/** Problems that are told in the hint of the first one. */
const MAX_TOLD = 4;

/** One error for many problems of one file: the first, and where to see the rest. */
function firstOf(problems: readonly SandboxError[]): SandboxError {
  const more = `${counted(problems.length - 1)} shown by: pi-sandbox policy check.`;
  return joined(problems, more);
}

/** One error for many that lie between the layers: the first, and the next ones, as no check of one file shows them. */
export function allOf(problems: readonly SandboxError[]): SandboxError {
  const told = problems.slice(1, 1 + MAX_TOLD).map(({ message }) => message);
  const untold = problems.length - 1 - told.length;
  return joined(problems, ['Also:', ...told, ...(untold > 0 ? [`${untold} more are not shown.`] : [])].join(' '));
}

function counted(others: number): string {
  return others === 1 ? 'One more problem is' : `${others} more problems are`;
}

function joined([first, ...others]: readonly SandboxError[], more: string): SandboxError {
  if (first === undefined) return new SandboxError('internal', 'A policy is refused without a reason.');
  if (others.length === 0) return first;
  return new SandboxError(first.code, first.message, { hint: [first.hint, more].filter(Boolean).join(' ') });
}
