import { exceedsDepth } from '../lib/json-depth.ts';

/** Deepest nesting that is parsed; later stages may recurse over the value. */
export const MAX_DEPTH = 64;

const POISON = ['__proto__', 'constructor', 'prototype'];
const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

export type Parsed =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly reason: 'utf8' | 'depth' | 'json' };

/** Bytes from a hostile writer to a JSON value: fatal UTF-8, bounded depth, no key that could reach a prototype. */
export function parseJson(bytes: Uint8Array): Parsed {
  if (exceedsDepth(bytes, MAX_DEPTH)) return { ok: false, reason: 'depth' };
  let text: string;
  try {
    text = decoder.decode(bytes);
  } catch {
    return { ok: false, reason: 'utf8' };
  }
  try {
    const value: unknown = JSON.parse(text);
    dropPoison(value);
    return { ok: true, value };
  } catch {
    return { ok: false, reason: 'json' };
  }
}

/** A walk over the parsed value and not a reviver: it costs nothing for the megabytes that are in strings. */
function dropPoison(value: unknown): void {
  if (typeof value !== 'object' || value === null) return;
  if (!Array.isArray(value)) {
    for (const key of POISON) if (Object.hasOwn(value, key)) Reflect.deleteProperty(value, key);
  }
  for (const child of Object.values(value)) dropPoison(child);
}
