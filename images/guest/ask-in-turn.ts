import type { GateAnswer } from '../../src/protocol/gate.ts';
import { askHost } from './gate-client.ts';

/** Questions at the same time, fewer than the host takes: a script may make a hundred calls at once. */
const MAX_OPEN = 8;
let open = 0;
const waiting: (() => void)[] = [];

/** As `askHost`, when it is its turn: the wait for that is not counted. */
export async function askInTurn(...question: Parameters<typeof askHost>): Promise<GateAnswer> {
  if (open >= MAX_OPEN) await new Promise<void>((resolve) => waiting.push(resolve));
  else open++;
  try {
    return await askHost(...question);
  } finally {
    // The place goes on to the next one, or is free again.
    const next = waiting.shift();
    if (next === undefined) open--;
    else next();
  }
}
