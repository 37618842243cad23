import type { Message } from '@earendil-works/pi-ai';
import { formatCount, formatDuration, formatUsd } from '../lib/format.ts';
import type { Budget, Left } from './budget.ts';
import { declaredTools } from './declared-tools.ts';

/** The model is told of a cap when less than this part of it is left. */
export const NEAR_END_SHARE = 0.2;
/** Also when fewer calls of the size of the largest one so far are left. */
const LAST_CALLS = 2;

/** Caps that the model is told about, by their names in the plan. */
type Told = 'gateway.requests' | 'gateway.outputTokens' | 'gateway.costUsd' | 'wallMs';

export interface BudgetNote {
  readonly limit: Told;
  readonly text: string;
}

interface Placed {
  readonly message: Message;
  /** Messages before it, and the last of them. */
  at: number;
  after: string;
}

/**
 * Tells the model, once for each cap, that it is nearly used up: a message of ours in what the provider gets. It stays
 * in its place in later requests, so that the provider's prompt cache holds; the container never sees it.
 */
export class BudgetNotes {
  readonly #budget: Budget;
  readonly #wall: { readonly startedAt: number; readonly ms: number } | undefined;
  readonly #told = new Set<Told>();
  readonly #placed: Placed[] = [];

  /** `wall` is the time that the run is given: its start, in milliseconds of the caller's clock, and its length. */
  constructor(budget: Budget, wall?: { readonly startedAt: number; readonly ms: number }) {
    this.#budget = budget;
    this.#wall = wall;
  }

  /** The conversation with the notes that belong into it, and those that are new in it. */
  weave(messages: readonly Message[], now: number): { messages: readonly Message[]; added: readonly BudgetNote[] } {
    const last = messages.at(-1);
    // A call without tools is pi's own, for the summary of a compaction; only behind a user or a result may a note stand.
    if (last === undefined || (last.role !== 'user' && last.role !== 'toolResult')) return { messages, added: [] };
    const added = this.#due(now);
    if (this.#told.size === 0 && added.length === 0) return { messages, added: [] };
    if (declaredTools(messages).length === 0) return { messages, added: [] };
    for (const { limit, text } of added) {
      this.#told.add(limit);
      const message: Message = { role: 'user', content: text, timestamp: now };
      this.#placed.push({ message, at: messages.length, after: JSON.stringify(last) });
    }
    return { messages: this.#inserted(messages), added };
  }

  #inserted(messages: readonly Message[]): Message[] {
    for (const placed of this.#placed) {
      if (placed.at <= messages.length && JSON.stringify(messages[placed.at - 1]) === placed.after) continue;
      // What stood before it is gone, after a compaction: it is still true, and stands at the end from now on.
      placed.at = messages.length;
      placed.after = JSON.stringify(messages.at(-1));
    }
    return messages.flatMap((message, index) => [
      message,
      ...this.#placed.filter(({ at }) => at === index + 1).map((placed) => placed.message),
    ]);
  }

  #due(now: number): BudgetNote[] {
    const { requests, outputTokens, costUsd } = this.#budget.left;
    const wall = this.#wall && {
      left: Math.max(0, this.#wall.startedAt + this.#wall.ms - now),
      of: this.#wall.ms,
      perCall: 0,
    };
    const candidates: [Told, Left | undefined, boolean, (amount: number) => string, string][] = [
      ['gateway.requests', requests, lastRequests(requests), String, 'model calls, this one included,'],
      ['gateway.outputTokens', outputTokens, isNear(outputTokens), formatCount, 'output tokens'],
      ['gateway.costUsd', costUsd, costUsd !== undefined && isNear(costUsd), formatUsd, 'of money'],
      ['wallMs', wall, wall !== undefined && isNear(wall), formatDuration, 'of time'],
    ];
    return candidates.flatMap(([limit, left, near, amount, what]) =>
      left === undefined || !near || this.#told.has(limit)
        ? []
        : [{ limit, text: noteText(amount(left.left), amount(left.of), what) }],
    );
  }
}

function isNear({ left, of, perCall }: Left): boolean {
  return left < of * NEAR_END_SHARE || left < perCall * LAST_CALLS;
}

/** The last call is always told, however few there are. */
function lastRequests({ left, of }: Left): boolean {
  return left <= Math.max(1, Math.floor(of * NEAR_END_SHARE));
}

function noteText(left: string, of: string, what: string): string {
  return `[Note from the sandbox, not from the user: ${left} of ${of} ${what} are left for this run, which ends when they are used up. Leave the work in a usable state and give your result soon.]`;
}
