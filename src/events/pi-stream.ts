import type { Readable } from 'node:stream';
import { Check } from '@sinclair/typebox/value';
import { previewOf } from '../lib/bounded-text.ts';
import { lines } from '../lib/lines.ts';
import { parseJson } from './parse-json.ts';
import { PI_SCHEMAS, type PiEvent } from './pi-schema.ts';

export type DamageReason = 'overlong' | 'utf8' | 'depth' | 'json' | 'schema' | 'torn';

/** Bytes that are no event; `preview` is their start, unsafe for a terminal. */
export interface Damaged {
  readonly kind: 'damaged';
  readonly reason: DamageReason;
  readonly bytes: number;
  readonly preview: string;
}

export type PiItem =
  | { readonly kind: 'event'; readonly event: PiEvent }
  /** An event of a type that we do not know: counted, kept as data. */
  | { readonly kind: 'unknown'; readonly type: string; readonly event: Record<string, unknown> }
  | Damaged;

export interface PiStreamLimits {
  /** Longest line, bytes; a longer one is dropped while it is read. */
  readonly lineBytes: number;
  /** All of the stream, bytes; beyond it the stream ends with a StreamLimitError. */
  readonly streamBytes: number;
}

const PREVIEW_CHARS = 200;
/** Type names become keys of counters, so they are bounded. */
const TYPE_CHARS = 64;
/** Places in a damaged line at which an event is looked for. */
const RECOVERY_ATTEMPTS = 4;
const EVENT_STARTS = ['{"type":', '{"id":'];

/**
 * pi's standard output as items, one or two per line and none lost silently. Never throws for what the bytes are;
 * throws StreamLimitError, and what the source throws after the rest was delivered as `torn`.
 */
export async function* piEvents(source: Readable, limits: PiStreamLimits): AsyncGenerator<PiItem, void> {
  const options = { lineBytes: limits.lineBytes, totalBytes: limits.streamBytes };
  for await (const line of lines(source as AsyncIterable<Buffer>, options)) {
    if (line.kind === 'line') yield* itemsOf(line.content);
    else yield { kind: 'damaged', reason: line.kind, bytes: line.bytes, preview: previewOf(line.head, PREVIEW_CHARS) };
  }
}

function itemsOf(bytes: Buffer): readonly PiItem[] {
  const whole = itemOf(bytes);
  if (whole.kind !== 'damaged' || whole.reason === 'schema') return [whole];
  return recover(bytes, whole) ?? [whole];
}

function itemOf(bytes: Buffer): PiItem {
  const parsed = parseJson(bytes);
  if (!parsed.ok) return damaged(parsed.reason, bytes);
  if (!isObject(parsed.value)) return damaged('schema', bytes);
  const { type } = parsed.value;
  if (typeof type !== 'string' || type.length > TYPE_CHARS) return damaged('schema', bytes);
  const schema = PI_SCHEMAS.get(type);
  if (schema === undefined) return { kind: 'unknown', type, event: parsed.value };
  if (!Check(schema, parsed.value)) return damaged('schema', bytes);
  return { kind: 'event', event: parsed.value as PiEvent };
}

/** A write without a newline glues itself in front of the next event: the event is still worth having. */
function recover(bytes: Buffer, whole: Damaged): readonly PiItem[] | undefined {
  for (const start of startsOf(bytes)) {
    const item = itemOf(bytes.subarray(start));
    if (item.kind !== 'damaged') return [{ ...whole, ...describe(bytes.subarray(0, start)) }, item];
  }
  return undefined;
}

function* startsOf(bytes: Buffer): Generator<number> {
  let at = 0;
  for (let attempt = 0; attempt < RECOVERY_ATTEMPTS; attempt++) {
    const next = EVENT_STARTS.map((text) => bytes.indexOf(text, at + 1)).filter((index) => index !== -1);
    if (next.length === 0) return;
    at = Math.min(...next);
    yield at;
  }
}

function damaged(reason: DamageReason, bytes: Buffer): Damaged {
  return { kind: 'damaged', reason, ...describe(bytes) };
}

function describe(bytes: Buffer): { bytes: number; preview: string } {
  return { bytes: bytes.length, preview: previewOf(bytes, PREVIEW_CHARS) };
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
