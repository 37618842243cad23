/** A tool call that has begun and not ended. */
export interface RunningCall {
  /** Number on the screen, from 1 in the order of their starts. */
  readonly number: number;
  readonly tool: string;
  /** Of a call that another one made: the number of that one, when it is known. */
  readonly parent?: number;
  /** How many calls it is nested in, at most so many as are shown. */
  readonly depth: number;
  /** Its output so far, the last lines. */
  tail: readonly string[];
}

/** Calls that are remembered at once; a forged stream can start calls that never end. */
const MAX_RUNNING = 64;
const LIVE_LINES = 5;
/** Depth that is shown. pi's own tools nest once. */
const MAX_DEPTH = 4;
/** Characters of a progress event that are looked at. */
const TAIL_CHARS = 4_096;

/** The running tool calls, by call id. */
export class RunningCalls {
  readonly #calls = new Map<string, RunningCall>();
  #last = 0;

  /** `maker`: the call that made it. */
  start(id: string, tool: string, maker?: string): RunningCall {
    const parent = maker === undefined ? undefined : this.#calls.get(maker);
    const depth = maker === undefined ? 0 : Math.min((parent?.depth ?? 0) + 1, MAX_DEPTH);
    const call = {
      ...{ number: ++this.#last, tool, depth, tail: [] },
      ...(parent === undefined ? {} : { parent: parent.number }),
    };
    this.#calls.delete(id);
    this.#calls.set(id, call);
    const [oldest] = this.#calls.keys();
    if (this.#calls.size > MAX_RUNNING && oldest !== undefined) this.#calls.delete(oldest);
    return call;
  }

  progress(id: string, text: string): void {
    const call = this.#calls.get(id);
    if (call !== undefined && text !== '') call.tail = text.slice(-TAIL_CHARS).trimEnd().split('\n').slice(-LIVE_LINES);
  }

  /** Undefined for a call whose start was not seen. */
  end(id: string): RunningCall | undefined {
    const call = this.#calls.get(id);
    this.#calls.delete(id);
    return call;
  }

  /** Calls that have not ended, oldest first. */
  open(): RunningCall[] {
    return [...this.#calls.values()];
  }

  /** The last lines of what is running, at most so many in all. */
  liveLines(): string[] {
    const talking = [...this.#calls.values()].filter(({ tail }) => tail.length > 0).slice(-LIVE_LINES);
    const each = Math.max(1, Math.floor(LIVE_LINES / Math.max(1, talking.length)));
    return talking.flatMap(({ number, tail }) => tail.slice(-each).map((line) => `  [${number}] ${line}`));
  }
}
