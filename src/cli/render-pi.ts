import { type TSchema, Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { PI_SCHEMAS, type PiEvent } from '../events/pi-schema.ts';
import { refusalOf, resultText } from '../events/refusal.ts';
import { clip } from '../lib/bounded-text.ts';
import { formatDuration } from '../lib/format.ts';
import { showAnswer } from './render-answer.ts';
import type { GateView } from './render-gate.ts';
import type { Screen } from './render-screen.ts';
import { span } from './render-style.ts';
import { ToolView } from './render-tools.ts';

const PROMPT_CHARS = 300;
const MESSAGE_CHARS = 1_000;
const Typed: TSchema = Type.Object({ type: Type.String() });

/** The claimed side of a run: what pi says that it does. */
export class PiView {
  readonly #screen: Screen;
  readonly #gate: Pick<GateView, 'of'>;
  readonly #tools: ToolView;
  /** The model's words are shown as the gateway saw them, so pi's copy is not. */
  #observed = false;

  constructor(screen: Screen, gate: Pick<GateView, 'of'>, now: () => number) {
    this.#screen = screen;
    this.#gate = gate;
    this.#tools = new ToolView(screen, now);
  }

  /**
   * From now on the model's words come from the gateway. Both streams may overtake each other, so this holds for the
   * whole run and not for one answer.
   */
  leaveOutModel(): void {
    this.#observed = true;
  }

  /** `value` is an event as recorded; what is not shaped like one is passed over. */
  event(value: unknown, run: string): void {
    if (isPiEvent(value)) this.#show(value, run);
  }

  /** The run has ended: what is said of calls that have not. */
  end(limit: string | undefined): void {
    this.#tools.cutOff(limit);
  }

  #show(event: PiEvent, run: string): void {
    switch (event.type) {
      case 'message_end':
        this.#message(event.message);
        break;
      case 'tool_execution_start':
        this.#tools.start(event);
        break;
      case 'tool_execution_update':
        this.#tools.update(event, resultText(event.partialResult));
        break;
      case 'tool_execution_end':
        this.#tools.end(
          { event, text: resultText(event.result), refusal: refusalOf(event, this.#gate.of(event.toolCallId)) },
          run,
        );
        break;
      case 'auto_retry_start':
        this.#warn(`pi asks again in ${formatDuration(event.delayMs)} (${event.attempt} of ${event.maxAttempts})`);
        break;
      case 'auto_retry_end':
        if (!event.success) this.#warn(`pi gave up after ${event.attempt} more attempts`);
        break;
      case 'compaction_start':
        this.#warn(`pi shortens the conversation (${event.reason})`);
        break;
      case 'compaction_end':
        if (event.errorMessage !== undefined) this.#warn(`shortening failed: ${event.errorMessage}`);
        break;
      case 'extension_error':
        this.#warn(`an extension failed in ${event.event}: ${event.error}`);
        break;
    }
  }

  #message(message: Extract<PiEvent, { type: 'message_end' }>['message']): void {
    const blocks =
      typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : (message.content ?? []);
    const text = resultText({ content: blocks });
    if (message.role === 'user' && text !== '') {
      this.#screen.line(span('# ', 'cyan'), span(clip(text.trim(), PROMPT_CHARS)));
    }
    if (message.role !== 'assistant' || this.#observed) return;
    showAnswer(this.#screen, { text, stopReason: message.stopReason ?? 'stop', error: message.errorMessage });
  }

  #warn(text: string): void {
    this.#screen.line(span('! ', 'yellow'), span(clip(text, MESSAGE_CHARS)));
  }
}

function isPiEvent(value: unknown): value is PiEvent {
  if (!Check(Typed, value)) return false;
  const schema = PI_SCHEMAS.get((value as { type: string }).type);
  return schema !== undefined && Check(schema, value);
}
