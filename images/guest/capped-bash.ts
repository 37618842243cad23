import type { CapLimit } from './guard-entry.ts';
import { OutputTail, TAIL_BYTES, TAIL_LINES } from './output-tail.ts';
import type { BashOperations } from './pi-api.ts';
import type { SpillBudget } from './spill-budget.ts';

/** pi opens a temp file above 51,200 bytes of decoded text, in which an invalid byte takes three, or above 2000 lines. */
const IN_MEMORY_BYTES = 50_000;
const BYTES_PER_INVALID_BYTE = 3;
/** Forwarded without asking the budget; what remains up to IN_MEMORY_BYTES is for notice and tail. */
const FREE_BYTES = 12_000;
const FREE_LINES = 1_000;
const NOTICE_BYTES = 400;

export interface Capped {
  readonly limit: CapLimit;
  /** Bytes. */
  readonly dropped: number;
}

/** Bash operations whose output, as pi sees it, fits the budget: a beginning, a notice and the end. */
export function cappedBash(
  local: BashOperations,
  options: { budget: SpillBudget; defaultTimeoutSeconds: number; onCapped: (capped: Capped) => void },
): BashOperations {
  return {
    async exec(command, cwd, exec) {
      const output = new CappedOutput(options.budget, exec.onData);
      try {
        return await local.exec(command, cwd, {
          ...exec,
          timeout: exec.timeout ?? options.defaultTimeoutSeconds,
          onData: (chunk) => output.push(chunk),
        });
      } finally {
        const capped = output.finish();
        if (capped !== undefined) options.onCapped(capped);
      }
    },
  };
}

class CappedOutput {
  readonly #budget: SpillBudget;
  readonly #forward: (chunk: Buffer) => void;
  readonly #tail = new OutputTail();
  #bytes = 0;
  #lines = 0;
  #granted = 0;
  #limit: CapLimit | undefined;

  constructor(budget: SpillBudget, forward: (chunk: Buffer) => void) {
    this.#budget = budget;
    this.#forward = forward;
  }

  push(chunk: Buffer): void {
    this.#limit ??= this.#refusal(chunk);
    if (this.#limit !== undefined) {
      this.#tail.push(chunk);
      return;
    }
    this.#bytes += chunk.length;
    this.#lines += countLines(chunk);
    this.#forward(chunk);
  }

  /** Sends what was kept of the end, and says what was cut. */
  finish(): Capped | undefined {
    const limit = this.#limit;
    if (limit === undefined) {
      this.#budget.ended(this.#granted);
      return undefined;
    }
    // Without a grant pi must not reach the size at which it opens a file: the folder may have no room at all.
    const inMemory = this.#granted === 0;
    const { text, dropped } = this.#tail.take(
      inMemory
        ? Math.min(TAIL_BYTES, IN_MEMORY_BYTES - BYTES_PER_INVALID_BYTE * this.#bytes - NOTICE_BYTES)
        : TAIL_BYTES,
      inMemory ? TAIL_LINES - this.#lines : TAIL_LINES,
    );
    if (dropped > 0) this.#forward(Buffer.from(notice(limit, dropped)));
    this.#forward(text);
    this.#budget.ended(this.#granted);
    return dropped > 0 ? { limit, dropped } : undefined;
  }

  #refusal(chunk: Buffer): CapLimit | undefined {
    const bytes = this.#bytes + chunk.length;
    if (bytes <= FREE_BYTES && this.#lines + countLines(chunk) <= FREE_LINES) return undefined;
    const wanted = bytes - this.#granted;
    const limit = this.#budget.grant(wanted, this.#granted);
    if (limit === undefined) this.#granted += wanted;
    return limit;
  }
}

const REASON: Record<CapLimit, string> = {
  call: 'one command may keep no more full output',
  run: 'this run may keep no more full output',
  space: 'there is no room for more full output',
};

function notice(limit: CapLimit, dropped: number): string {
  return `\n[pi-sandbox: ${dropped} bytes of output left out here: ${REASON[limit]}]\n`;
}

function countLines(chunk: Buffer): number {
  let lines = 0;
  for (let at = chunk.indexOf(0x0a); at >= 0; at = chunk.indexOf(0x0a, at + 1)) lines += 1;
  return lines;
}
