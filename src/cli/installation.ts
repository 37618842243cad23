import type { Installation } from '../run/recover.ts';
import { environment } from './environment.ts';

/** This machine and state folder. */
export const installation: Installation = {
  get stateRoot() {
    return environment.stateRoot;
  },
  get machine() {
    return environment.machine;
  },
  now: () => new Date(),
};
