import { formatBytes, plural } from '../../lib/format.ts';
import type { NotInPatch } from '../../protocol/change-view.ts';
import {
  type Change,
  type ChangeKind,
  type FileState,
  RISK_CLASSES,
  type Risk,
  type RiskClass,
} from '../../protocol/changes.ts';

const KINDS: Readonly<Record<ChangeKind, string>> = {
  add: 'added',
  modify: 'modified',
  delete: 'deleted',
  mode: 'mode changed',
  type: 'type changed',
};

/** `4 changes (1 added, 3 modified)`. */
export function countText(changes: readonly Change[]): string {
  if (changes.length === 0) return 'no changes';
  const counts = (Object.keys(KINDS) as ChangeKind[]).flatMap((kind) => {
    const count = changes.filter((change) => change.kind === kind).length;
    return count === 0 ? [] : [`${count} ${KINDS[kind]}`];
  });
  return `${plural(changes.length, 'change')} (${counts.join(', ')})`;
}

/** `modified`, `added, executable`, `type changed, file to link to x`. */
export function kindText({ kind, before, after, renamedFrom }: Change): string {
  const from = renamedFrom === undefined ? '' : `, same content as ${renamedFrom} had: perhaps renamed`;
  return `${KINDS[kind]}${detailText(kind, before, after)}${from}`;
}

function detailText(kind: ChangeKind, before: FileState | undefined, after: FileState | undefined): string {
  if (kind === 'type') return `, ${stateText(before)} to ${stateText(after)}`;
  const state = after ?? before;
  if (state?.type !== 'file') return state === undefined ? '' : `, ${stateText(state)}`;
  if (before?.type === 'file' && before.executable !== state.executable) {
    return state.executable ? ', now executable' : ', no longer executable';
  }
  return kind === 'add' && state.executable ? ', executable' : '';
}

function stateText(state: FileState | undefined): string {
  if (state?.type === 'symlink') return `link to ${state.target}`;
  return state?.type === 'dir' ? 'folder' : 'file';
}

/** `120 B -> 1.5 KiB`; what is no file has no size. */
export function sizeText({ before, after }: Change): string {
  const size = (state: FileState | undefined): string =>
    state === undefined ? 'nothing' : state.type === 'file' ? formatBytes(state.size) : stateText(state);
  return `${size(before)} -> ${size(after)}`;
}

/** `ci: runs on push (lines 3 to 9)`. */
export function riskText({ class: name, what, lines }: Risk): string {
  if (lines === undefined) return `${name}: ${what}`;
  const [first, last] = lines;
  return `${name}: ${what} (${first === last ? `line ${first}` : `lines ${first} to ${last}`})`;
}

/** The changes that are of a risk class. */
export interface OfRisk {
  readonly name: RiskClass;
  readonly changes: readonly Change[];
}

/** Classes in the order in which they are told, each with its changes. */
export function byRisk(changes: readonly Change[]): OfRisk[] {
  return RISK_CLASSES.flatMap((name) => {
    const found = changes.filter((change) => change.risks.some((risk) => risk.class === name));
    return found.length === 0 ? [] : [{ name, changes: found }];
  });
}

const WHY: Readonly<Record<NotInPatch['why'], string>> = {
  'empty-folder': 'an empty folder, which a patch cannot hold',
  'content-missing': 'its content at the start is no longer at hand',
  'too-large': 'too large for a patch',
};

export function notInPatchText({ path, why }: NotInPatch): string {
  return `${path}: ${WHY[why]}`;
}
