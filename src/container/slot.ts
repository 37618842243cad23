import { SandboxError } from '../errors.ts';
import { LABEL } from '../protocol/labels.ts';
import type { Engine } from './engine.ts';
import { holdsSlot } from './ownership.ts';

/**
 * Two controllers may have chosen the same pair of user ids at the same moment. Who sees another container with them
 * gives way, whichever is older: of two that look after they were created, one at least sees the other. Ages and ids
 * decide nothing, since the other one may have looked when this one was not there yet.
 */
export async function requireOwnSlot(engine: Pick<Engine, 'list'>, container: string, slot: number): Promise<void> {
  const holders = (await engine.list({ [LABEL.slot]: String(slot) })).filter(holdsSlot);
  if (holders.some(({ id }) => id !== container)) throw new SlotTaken();
}

/** Another run holds the pair of user ids; plan again with another one. */
export class SlotTaken extends SandboxError {
  constructor() {
    super('engine', 'Another run took the same pair of user ids at the same moment.', { hint: 'Try again.' });
  }
}
