import { lstatSync, readdirSync } from 'node:fs';
import path from 'node:path';
import type { Engine } from '../container/engine.ts';
import { controllerAlive } from '../container/ownership.ts';
import { LABEL } from '../protocol/labels.ts';
import { controlSocket } from '../run/recover.ts';
import { RunFolder } from '../transcript/run-folder.ts';
import { listRuns } from '../transcript/run-list.ts';
import { hasOpenApply } from './cut-apply.ts';
import { wantedImage } from './ensure-image.ts';

/** Something that prune offers to remove. */
export interface Prunable {
  readonly kind: 'run' | 'image';
  readonly name: string;
  readonly bytes: number;
  /** When the run began or the image was made. */
  readonly time: Date;
  readonly remove: () => Promise<void>;
}

/** How engines write that an image has no name. */
const NO_NAME = '<none>:<none>';
const MS_PER_SECOND = 1_000;

/** Runs that began before `before` and do not go on. */
export async function oldRuns(stateRoot: string, before: Date): Promise<Prunable[]> {
  const found: Prunable[] = [];
  for (const { id, time, folder } of listRuns(stateRoot)) {
    const began = new Date(time);
    if (began >= before || hasOpenApply(folder) || (await controllerAlive(controlSocket(stateRoot, id)))) continue;
    const remove = async (): Promise<void> => RunFolder.open(stateRoot, id).remove();
    found.push({ kind: 'run', name: id, bytes: sizeOf(folder), time: began, remove });
  }
  return found;
}

/**
 * Images that some version of this product made and this one does not use. Other users of the engine may use them.
 * Those without a name were built anew under theirs, or are what the classic builder keeps for its cache: the next build
 * is slower without it.
 */
export async function oldImages(engine: Pick<Engine, 'images' | 'removeImage'>): Promise<Prunable[]> {
  const { version, fingerprint } = await wantedImage();
  const labelled = await Promise.all([engine.images({ [LABEL.guest]: true }), engine.images({ [LABEL.stage]: true })]);
  const unique = new Map(labelled.flat().map((image) => [image.id, image])).values();
  return [...unique].flatMap(({ id, tags, labels, size, created }) => {
    const names = tags.filter((tag) => tag !== NO_NAME);
    if (names.length > 0 && labels[LABEL.guest] === fingerprint && labels[LABEL.version] === version) return [];
    return (names.length === 0 ? [id] : names).map((name) => ({
      kind: 'image' as const,
      name,
      bytes: size,
      time: new Date(created * MS_PER_SECOND),
      remove: () => engine.removeImage(name),
    }));
  });
}

/** Bytes below a folder; 0 where it may not be read, or goes away meanwhile. */
function sizeOf(folder: string): number {
  try {
    const entries = readdirSync(folder, { recursive: true, withFileTypes: true });
    const sizes = entries.map(
      (entry) => lstatSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.size,
    );
    return sizes.reduce<number>((sum, size) => sum + (size ?? 0), 0);
  } catch {
    return 0;
  }
}
