import type { Readable } from 'node:stream';
import type { PiClient } from '../container/pi-client.ts';
import type { PiEvent } from '../events/pi-schema.ts';
import { type PiItem, piEvents } from '../events/pi-stream.ts';
import { PiTally } from '../events/pi-tally.ts';
import { StreamLimitError } from '../lib/lines.ts';
import type { RunLimits } from '../protocol/plan.ts';
import type { NewRecord } from '../protocol/record.ts';
import type { OutputPaths } from './output-paths.ts';
import type { Stops } from './stops.ts';
import type { RunTimers } from './timers.ts';

export interface PumpParts {
  readonly stdout: Readable;
  readonly limits: RunLimits;
  readonly client: PiClient;
  readonly stops: Stops;
  readonly timers: RunTimers;
  readonly outputs: OutputPaths;
  /** Whether what the gateway saw fits with pi being done. Anything in the container can say that it is. */
  readonly mayBeSettled: () => boolean;
  readonly record: (record: NewRecord) => void | Promise<void>;
  /** Exit code of pi as the engine reports it. */
  readonly exitCode: () => Promise<number | null>;
}

/** Reads pi's event stream to its end: records each item, answers those who wait, counts what is damaged. */
export class PiPump {
  readonly tally = new PiTally();
  /** Settles when the stream has ended, whatever the reason. */
  readonly ended: Promise<void>;
  promptAccepted = false;
  settled = false;
  hasEnded = false;
  readonly #parts: PumpParts;
  #waiting: PromiseWithResolvers<void> | undefined;

  constructor(parts: PumpParts) {
    this.#parts = parts;
    this.ended = this.#run();
  }

  /** Settles at pi's next word that it is idle. */
  nextSettled(): Promise<void> {
    this.settled = false;
    this.#waiting = Promise.withResolvers();
    return this.#waiting.promise;
  }

  exitCode(): Promise<number | null> {
    return this.#parts.exitCode();
  }

  async #run(): Promise<void> {
    const { stdout, limits, stops, timers, client, record } = this.#parts;
    try {
      for await (const item of piEvents(stdout, limits)) {
        timers.touch();
        this.tally.count(item);
        const recorded = record(recordOf(item));
        if (recorded !== undefined) await timers.holding(recorded);
        if (item.kind === 'event') this.#take(item.event);
      }
    } catch (error) {
      if (error instanceof StreamLimitError) {
        stops.limit('streamBytes', `pi's event stream passed ${limits.streamBytes} bytes`);
      } else {
        stops.fail(error);
      }
    } finally {
      this.hasEnded = true;
      client.fail('pi ended.');
    }
  }

  #take(event: PiEvent): void {
    this.#parts.outputs.take(event);
    if (event.type === 'response') {
      const { id, success, error, data } = event;
      this.#parts.client.settle(id === undefined ? undefined : String(id), { success, error, data });
    } else if (event.type === 'agent_settled' && this.#parts.mayBeSettled()) {
      this.settled = true;
      this.#waiting?.resolve();
    }
  }
}

function recordOf(item: PiItem): NewRecord {
  if (item.kind === 'damaged') {
    const { reason, bytes, preview } = item;
    return { source: 'claimed', type: 'pi_damaged', reason, bytes, preview };
  }
  return { source: 'claimed', type: 'pi', event: item.event };
}
