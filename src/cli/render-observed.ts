import { type Static, Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { clip } from '../lib/bounded-text.ts';
import { formatBytes, plural } from '../lib/format.ts';
import type { SandboxRecord } from '../protocol/record.ts';
import type { Screen } from './render-screen.ts';
import { startLine } from './render-start.ts';
import { span } from './render-style.ts';

const MESSAGE_CHARS = 1_000;
/** Records of one noisy kind that are shown one by one; what a hostile program can repeat is only counted after that. */
const MAX_REPEATED = 3;
const STDERR_LINES = 5;

const Said = Type.Object({ message: Type.String(), hint: Type.Optional(Type.String()) });
const Damage = Type.Object({ reason: Type.String(), bytes: Type.Number(), preview: Type.String() });
const Full = Type.Object({ maxBytes: Type.Number() });
const Errors = Type.Object({ who: Type.String(), text: Type.String() });
const Note = Type.Object({ text: Type.String() });
const WireRefused = Type.Object({ authority: Type.String() });

/**
 * Records other than pi's events and the model's answers. Every stage may record types of its own; a `message` for a
 * person is always shown, and the rest is data for `--json` unless it is named here.
 */
export class ObservedView {
  readonly #screen: Screen;
  readonly #repeated = new Map<string, number>();
  /** What pi and the bridge printed on their error streams, by name: of interest when the run failed. */
  readonly #errors = new Map<string, readonly string[]>();

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  record(record: SandboxRecord): void {
    const start = startLine(record);
    if (start !== undefined) this.#say('-', start);
    else if (record.type === 'pi_damaged' && Check(Damage, record)) this.#damage(record);
    else if (record.type === 'stderr' && Check(Errors, record)) this.#keepErrors(record);
    else if (record.type === 'wire_refused' && Check(WireRefused, record)) {
      this.#repeatable(record.type, `the wire refused a connection to ${record.authority}`);
    } else if (record.type === 'transcript_full' && Check(Full, record)) {
      this.#say('!', `the transcript is full at ${formatBytes(record.maxBytes)}; what came later was not kept`);
    } else if (record.type === 'gateway.note' && Check(Note, record)) {
      this.#say('-', `the model was told: ${record.text}`);
    } else if (Check(Said, record)) this.#said(record.type, record);
  }

  /** What was counted only, and after a failure what may explain it. */
  end(failed: boolean): void {
    for (const [type, count] of this.#repeated) {
      const hidden = count - MAX_REPEATED;
      if (hidden > 0) this.#say('!', `${plural(hidden, 'more record')} of the kind ${type}`);
    }
    if (!failed) return;
    for (const [who, lines] of this.#errors)
      for (const line of lines) this.#say('!', `${who} on its error stream: ${line}`);
  }

  #said(type: string, { message, hint }: Static<typeof Said>): void {
    if (type === 'notice') this.#say('-', message);
    else if (type === 'gateway.refused') this.#repeatable(type, `the gateway refused a request: ${message}`);
    else if (type === 'egress') this.#repeatable(type, `a program inside was refused: ${message}`);
    else this.#say('!', `${type}: ${message}`);
    if (hint !== undefined) this.#say(' ', hint);
  }

  #damage({ reason, bytes, preview }: Static<typeof Damage>): void {
    const text = `${formatBytes(bytes)} of pi's output were no event (${reason}): ${clip(preview, 80)}`;
    this.#repeatable('pi_damaged', text);
  }

  #keepErrors({ who, text }: Static<typeof Errors>): void {
    if (this.#errors.size < MAX_REPEATED) this.#errors.set(who, text.trimEnd().split('\n').slice(-STDERR_LINES));
  }

  #repeatable(type: string, text: string): void {
    const count = (this.#repeated.get(type) ?? 0) + 1;
    this.#repeated.set(type, count);
    if (count <= MAX_REPEATED) this.#say('!', text);
  }

  #say(mark: string, text: string): void {
    this.#screen.line(span(`${mark} `, 'yellow'), span(clip(text, MESSAGE_CHARS)));
  }
}
