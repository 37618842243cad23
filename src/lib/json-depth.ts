import { exceededBy } from './json-shape.ts';

/**
 * Whether JSON text nests deeper than `limit` arrays and objects. Looks at bytes only and needs no memory, so it is
 * safe to ask before the text is parsed; text that is not JSON gets an answer too.
 */
export function exceedsDepth(json: Uint8Array, limit: number): boolean {
  return exceededBy(json, { depth: limit, values: Number.POSITIVE_INFINITY }) === 'depth';
}
