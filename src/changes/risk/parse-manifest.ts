import { exceededBy } from '../../lib/json-shape.ts';
import { MAX_MANIFEST_BYTES, MAX_MANIFEST_DEPTH, MAX_MANIFEST_VALUES } from './limits.ts';

export type JsonObject = Readonly<Record<string, unknown>>;

export interface ParsedManifest {
  readonly text: string;
  readonly value: JsonObject;
}

/** A JSON manifest as package managers read it, or why it cannot be read. */
export function parseManifest(content: Buffer): ParsedManifest | string {
  if (content.length > MAX_MANIFEST_BYTES) return 'too large to be looked through';
  const exceeded = exceededBy(content, { depth: MAX_MANIFEST_DEPTH, values: MAX_MANIFEST_VALUES });
  if (exceeded !== undefined) return exceeded === 'depth' ? 'nested too deeply' : 'holds too many values';
  const text = content.toString('utf8').replace(/^\ufeff/, '');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  return isObject(value) ? { text, value } : 'no JSON object';
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** A member of the object itself: `constructor` is none unless it is written there. */
export function member(object: JsonObject | undefined, key: string): unknown {
  return object !== undefined && Object.hasOwn(object, key) ? object[key] : undefined;
}
