import type { Installation } from '../run/recover.ts';
import { environment } from './environment.ts';

/** This machine, user and state folder. */
export const installation: Installation = {
  get stateRoot() {
    return environment.stateRoot;
  },
  get machine() {
    return environment.machine;
  },
  get uid() {
    return environment.uid;
  },
  now: () => new Date(),
};
