import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lchownSync,
  mkdirSync,
  openSync,
  rmdirSync,
} from 'node:fs';
import { parsePath } from '../../lib/path-bytes.ts';
import { codeOf } from './code-of.ts';
import type { Step } from './journal.ts';
import { hashOf } from './look.ts';
import { folderOf, nameOf } from './path-parts.ts';
import { Disturbed, put, take } from './place.ts';
import { gives, modeOfOpen, ownerOf } from './stage.ts';
import type { TargetTree } from './tree.ts';

const FOLDER_MODE = 0o777;

/** Makes one change. Throws when the path is not as it was, and has then changed nothing there but what `undo` undoes. */
export function act(tree: TargetTree, step: Step): void {
  const path = parsePath(step.path);
  tree.within(folderOf(path), (at, folder) => {
    const place = at(nameOf(path));
    if (step.modeOnly) return setMode(place, step, step.rights?.mode, step.mode);
    if (step.before?.type === 'dir') removeFolder(place, step);
    else if (step.before !== undefined) takeAside(tree, place, step);
    if (step.after?.type === 'dir') makeFolder(place, folder, step);
    else if (step.after !== undefined) putInPlace(tree, place, step);
  });
}

function takeAside(tree: TargetTree, place: Buffer, { home, old, before }: Step): void {
  if (old === undefined || before === undefined) return;
  tree.within(parsePath(home), (at) => take(place, at(Buffer.from(old)), before));
}

function putInPlace(tree: TargetTree, place: Buffer, { home, fresh, after }: Step): void {
  if (fresh === undefined) return;
  tree.within(parsePath(home), (at) => put(at(Buffer.from(fresh)), place, { isLink: after?.type === 'symlink' }));
}

/** A folder that still holds something stays, unless its place is needed. */
function removeFolder(place: Buffer, { after }: Step): void {
  try {
    rmdirSync(place);
  } catch (error) {
    const code = codeOf(error);
    if (code !== 'ENOTEMPTY' && code !== 'EEXIST') throw error;
    if (after !== undefined) throw new Disturbed('something appeared in the folder');
  }
}

function makeFolder(place: Buffer, parent: number, step: Step): void {
  try {
    mkdirSync(place, FOLDER_MODE & (step.mode ?? FOLDER_MODE));
  } catch (error) {
    if (codeOf(error) === 'EEXIST') throw new Disturbed('something else appeared there');
    throw error;
  }
  const owner = ownerOf(undefined, parent);
  if (owner !== undefined) gives(() => lchownSync(place, owner.uid, owner.gid));
}

/** Changes permission bits of exactly the expected file. */
export function setMode(place: Buffer, { after }: Step, from: number | undefined, to: number | undefined): void {
  if (after?.type !== 'file' || from === undefined || to === undefined) return;
  const fd = openSync(place, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const { size } = fstatSync(fd);
    if (
      !fstatSync(fd).isFile() ||
      modeOfOpen(fd) !== from ||
      size !== after.size ||
      hashOf(fd, size) !== after.sha256
    ) {
      throw new Disturbed('it was changed');
    }
    fchmodSync(fd, to);
  } finally {
    closeSync(fd);
  }
}

/** Makes a folder again that was removed, as it was. */
export function restoreFolder(place: Buffer, { rights }: Step): void {
  mkdirSync(place, FOLDER_MODE);
  if (rights === undefined) return;
  gives(() => lchownSync(place, rights.uid, rights.gid));
  chmodSync(place, rights.mode);
}
