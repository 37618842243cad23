import { Transform, type TransformCallback } from 'node:stream';
import type { EgressLimits } from '../protocol/network.ts';

/** Why a connection was cut, for the ledger. */
export type CutCode = 'bytes' | 'idle' | 'time' | 'revoked' | 'client' | 'broken';

/** Bytes of all connections of a run, both directions. */
export interface Total {
  bytes: number;
}

/** Watches one connection: what it moves, how long nothing moves, how long it stands. Cuts it once, with the first reason. */
export class Meter {
  sent = 0;
  received = 0;
  readonly #limits: EgressLimits;
  readonly #total: Total;
  readonly #onMoved: () => void;
  readonly #abort = new AbortController();
  readonly #idle: NodeJS.Timeout;
  readonly #wall: NodeJS.Timeout;
  #code: CutCode | undefined;

  constructor(limits: EgressLimits, total: Total, onMoved: () => void) {
    this.#limits = limits;
    this.#total = total;
    this.#onMoved = onMoved;
    this.#idle = setTimeout(() => this.cut('idle'), limits.idleMs);
    this.#wall = setTimeout(() => this.cut('time'), limits.connectionMs);
  }

  /** Aborts when the connection is to be cut. */
  get signal(): AbortSignal {
    return this.#abort.signal;
  }

  get code(): CutCode | undefined {
    return this.#code;
  }

  cut(code: CutCode): void {
    if (this.#code !== undefined) return;
    this.#code = code;
    this.end();
    this.#abort.abort(new Error(`cut: ${code}`));
  }

  /** Nothing is waited for any more. */
  end(): void {
    clearTimeout(this.#idle);
    clearTimeout(this.#wall);
  }

  /** A part of the way of one direction. What would cross a cap is not passed on. */
  way(direction: 'sent' | 'received'): Transform {
    const meter = this;
    return new Transform({
      transform(chunk: Buffer, _encoding, done: TransformCallback) {
        if (meter.#count(direction, chunk.length)) done(null, chunk);
        else done(new Error('cut: bytes'));
      },
    });
  }

  #count(direction: 'sent' | 'received', bytes: number): boolean {
    const { connectionBytes, totalBytes } = this.#limits;
    if (this.sent + this.received + bytes > connectionBytes || this.#total.bytes + bytes > totalBytes) {
      this.cut('bytes');
      return false;
    }
    this[direction] += bytes;
    this.#total.bytes += bytes;
    this.#idle.refresh();
    this.#onMoved();
    return true;
  }
}
