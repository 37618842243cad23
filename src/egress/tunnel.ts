import type { Socket } from 'node:net';
import type { Duplex } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Meter } from './meter.ts';

/**
 * Joins a client to its target until both directions have ended. Nothing is looked at: inside may be TLS or anything else.
 * A direction that broke resets both ends, so that cut bytes never look like all there were. Rejects then.
 */
export async function tunnel(client: Duplex, target: Socket, meter: Meter): Promise<void> {
  const cut = (): void => {
    target.resetAndDestroy();
    client.destroy(new Error('the connection was cut'));
  };
  // A stream that the other side reset reports an end too, as if all had been sent.
  client.once('aborted', () => meter.cut('client'));
  client.once('error', () => meter.cut('client'));
  target.once('error', () => meter.cut('broken'));
  meter.signal.addEventListener('abort', cut, { once: true });
  try {
    await Promise.all([pipeline(client, meter.way('sent'), target), pipeline(target, meter.way('received'), client)]);
  } catch (error) {
    cut();
    throw error;
  } finally {
    meter.signal.removeEventListener('abort', cut);
  }
}
