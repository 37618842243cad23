import type { GatewayDelta } from '../gateway/gateway.ts';
import type { Redactor } from '../policy/redact/redactor.ts';
import type { RedactWindow } from '../policy/redact/window.ts';
import type { NewRecord } from '../protocol/record.ts';

/** Live text of the model's answers, for a person who watches. */
export class RedactedDeltas {
  readonly #redactor: Redactor;
  readonly #show: (delta: GatewayDelta) => void;
  /** One for each call under way: its text, or its thinking. */
  readonly #open = new Map<number, { readonly type: 'text' | 'thinking'; readonly window: RedactWindow }>();

  constructor(redactor: Redactor, show: (delta: GatewayDelta) => void) {
    this.#redactor = redactor;
    this.#show = show;
  }

  take(delta: GatewayDelta): void {
    if (delta.type !== 'text' && delta.type !== 'thinking') {
      this.#close(delta.call);
      this.#show(this.#redactor.deep(delta));
      return;
    }
    let open = this.#open.get(delta.call);
    if (open?.type !== delta.type) {
      this.#close(delta.call);
      open = { type: delta.type, window: this.#redactor.window() };
      this.#open.set(delta.call, open);
    }
    const text = open.window.push(delta.delta);
    if (text !== '') this.#show({ ...delta, delta: text });
  }

  #close(call: number): void {
    const open = this.#open.get(call);
    if (open === undefined) return;
    this.#open.delete(call);
    const rest = open.window.end();
    if (rest !== '') this.#show({ call, type: open.type, delta: rest });
  }
}

/** Records whose text may have been cut off. */
const CUT = new Set(['pi_damaged', 'gateway.response']);
const PROGRESS = new Set(['tool_execution_update', 'bash_execution_update']);
/** Parts of one answer of the model that are under way at the same time. */
const MAX_WINDOWS = 64;

/** Records, with pi's live text in `message_update` held back like the gateway's. */
export class RedactedUpdates {
  readonly #redactor: Redactor;
  /** By the number of the part in the answer. */
  readonly #windows = new Map<number, RedactWindow>();

  constructor(redactor: Redactor) {
    this.#redactor = redactor;
  }

  take(entry: NewRecord): NewRecord[] {
    if (entry.type !== 'pi') return [this.#redactor.deep(entry, { cut: CUT.has(entry.type) })];
    const event = entry['event'] as Readonly<Record<string, unknown>>;
    const update = event['type'] === 'message_update' ? partOf(event['assistantMessageEvent']) : undefined;
    if (update === undefined) return [this.#redactor.deep(entry, { cut: PROGRESS.has(String(event['type'])) })];
    const inside = (assistantMessageEvent: object): NewRecord => ({
      ...this.#redactor.deep({ ...entry, event: { ...event, assistantMessageEvent: {} } }),
      event: { ...this.#redactor.deep({ ...event, assistantMessageEvent: {} }), assistantMessageEvent },
    });
    const { index, kind, delta, whole } = update;
    if (kind === 'delta') return [inside({ ...whole, delta: this.#window(index).push(delta) })];
    const rest = this.#windows.get(index)?.end() ?? '';
    this.#windows.delete(index);
    const last = inside(this.#redactor.deep(whole));
    if (rest === '') return [last];
    const type = String(whole['type']).replace(/_end$/, '_delta');
    return [inside({ type, contentIndex: index, delta: rest }), last];
  }

  #window(index: number): RedactWindow {
    const known = this.#windows.get(index);
    if (known !== undefined) return known;
    if (this.#windows.size >= MAX_WINDOWS) this.#windows.clear();
    const window = this.#redactor.window();
    this.#windows.set(index, window);
    return window;
  }
}

interface Part {
  readonly index: number;
  readonly kind: 'delta' | 'other';
  readonly delta: string;
  readonly whole: Readonly<Record<string, unknown>>;
}

/** A piece or the end of a part of the answer; undefined for anything else. */
function partOf(event: unknown): Part | undefined {
  if (typeof event !== 'object' || event === null) return undefined;
  const whole = event as Readonly<Record<string, unknown>>;
  const { type, contentIndex, delta = '' } = whole;
  if (typeof type !== 'string' || typeof contentIndex !== 'number' || typeof delta !== 'string') return undefined;
  return { index: contentIndex, kind: type.endsWith('_delta') ? 'delta' : 'other', delta, whole };
}
