import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { clip } from '../lib/bounded-text.ts';
import { formatBytes, plural } from '../lib/format.ts';
import type { SandboxRecord } from '../protocol/record.ts';
import type { Screen } from './render-screen.ts';
import { span } from './render-style.ts';

const MESSAGE_CHARS = 1_000;
/** Damaged lines that are shown one by one; a flood of them is only counted. */
const MAX_DAMAGED = 3;

const Said = Type.Object({ message: Type.String(), hint: Type.Optional(Type.String()) });
const Failed = Type.Object({
  stopReason: Type.Literal('error'),
  error: Type.Optional(Type.String()),
  errorMessage: Type.Optional(Type.String()),
});
const Damage = Type.Object({ reason: Type.String(), bytes: Type.Number(), preview: Type.String() });
const Full = Type.Object({ maxBytes: Type.Number() });

/**
 * Records other than pi's events. Every stage may record types of its own; what they have in common is shown: a `message`
 * for a person, a failed model call, damage to pi's stream. The rest is data for `--json`.
 */
export class ObservedView {
  readonly #screen: Screen;
  #damaged = 0;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  record(record: SandboxRecord): void {
    if (record.type === 'damaged' && Value.Check(Damage, record)) this.#damage(record);
    else if (record.type === 'transcript_full' && Value.Check(Full, record)) {
      this.#say('!', `the transcript is full at ${formatBytes(record.maxBytes)}; what came later was not kept`);
    } else if (Value.Check(Said, record)) this.#said(record.type, record);
    else if (record.source === 'observed' && Value.Check(Failed, record)) {
      this.#say(
        '!',
        `the gateway reports a failed model call: ${record.errorMessage ?? record.error ?? 'no reason given'}`,
      );
    }
  }

  /** What was counted only. */
  end(): void {
    const hidden = this.#damaged - MAX_DAMAGED;
    if (hidden > 0) this.#say('!', `${plural(hidden, 'more piece')} of pi's output that were no events`);
  }

  #said(type: string, { message, hint }: Static<typeof Said>): void {
    this.#say(type === 'notice' ? '-' : '!', type === 'notice' ? message : `${type}: ${message}`);
    if (hint !== undefined) this.#say(' ', hint);
  }

  #damage({ reason, bytes, preview }: Static<typeof Damage>): void {
    if (++this.#damaged > MAX_DAMAGED) return;
    this.#say('!', `${formatBytes(bytes)} of pi's output were no event (${reason}): ${clip(preview, 80)}`);
  }

  #say(mark: string, text: string): void {
    this.#screen.line(span(`${mark} `, 'yellow'), span(clip(text, MESSAGE_CHARS)));
  }
}
