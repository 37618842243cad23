import { randomBytes } from 'node:crypto';
import path from 'node:path';
import { installationId } from '../container/ownership.ts';
import { createFile, readOwnFile } from '../transcript/private-file.ts';
import { ensureStateRoot } from '../transcript/run-folder.ts';
import type { RunHost } from './host.ts';

/** File in the state root that makes it different from every other one, also from one at the same path elsewhere. */
const TOKEN_FILE = 'installation';
const TOKEN_BYTES = 16;

type Where = Pick<RunHost, 'machine' | 'stateRoot'>;

/** Whose containers a run's are. Makes the state root and its token on first use. Throws SandboxError `state`. */
export function ownInstallation(where: Where): string {
  const known = knownInstallation(where);
  if (known !== undefined) return known;
  ensureStateRoot(where.stateRoot);
  // Of two first runs at once, both use the token of the one that was faster.
  createFile(path.join(where.stateRoot, TOKEN_FILE), `${randomBytes(TOKEN_BYTES).toString('hex')}\n`);
  const token = readOwnFile(path.join(where.stateRoot, TOKEN_FILE)) ?? '';
  return installationId({ machine: where.machine, token });
}

/** As `ownInstallation`, but undefined where nothing has run yet: then no container can be ours. */
export function knownInstallation({ machine, stateRoot }: Where): string | undefined {
  const token = readOwnFile(path.join(stateRoot, TOKEN_FILE));
  return token === undefined ? undefined : installationId({ machine, token });
}
