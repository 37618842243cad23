import { isAbsolute, join } from 'node:path';
import { SandboxError } from '../errors.ts';

/**
 * Where everything of ours on this host is kept: `$XDG_STATE_HOME/pi-sandbox`, else `$HOME/.local/state/pi-sandbox`. A
 * relative XDG_STATE_HOME is ignored, as its specification asks.
 *
 * @throws SandboxError `state` when neither names an absolute path
 */
export function stateRoot(env: { readonly XDG_STATE_HOME?: string; readonly HOME?: string }): string {
  const { XDG_STATE_HOME: state, HOME: home } = env;
  if (state !== undefined && isAbsolute(state)) return join(state, 'pi-sandbox');
  if (home !== undefined && isAbsolute(home)) return join(home, '.local', 'state', 'pi-sandbox');
  throw new SandboxError(
    'state',
    'There is no folder to keep runs in: neither XDG_STATE_HOME nor HOME is an absolute path.',
    {
      hint: 'Set XDG_STATE_HOME to a folder of yours.',
    },
  );
}

/** The change set of a run, a folder of its own, and what it comes to in figures. */
export const CHANGES_FOLDER = 'changes';
export const HAND_BACK_FILE = 'hand-back.json';
/** What became of it: applied, or discarded. */
export const CHANGES_STATE_FILE = 'changes-state.json';

/** Folder of all runs in a state root. */
export function runsFolder(root: string): string {
  return join(root, 'runs');
}
