import { chmodSync, mkdirSync, readdirSync } from 'node:fs';
import { GUEST } from '../../src/protocol/guest.ts';
import { fail } from './fail.ts';

/** An engine gives an empty volume the mode of the folder that it is mounted on; without it only root could write there. */
export function makeVolumeFolder(): void {
  mkdirSync(GUEST.volume, { recursive: true });
  if (readdirSync(GUEST.volume).length > 0) {
    fail(`this image has files in ${GUEST.volume}, which is where a run mounts its own folder.`);
  }
  chmodSync(GUEST.volume, 0o1777);
}
