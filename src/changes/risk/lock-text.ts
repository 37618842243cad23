import { exceededBy } from '../../lib/json-shape.ts';
import { MAX_LOCK_BYTES, MAX_LOCK_LINES, MAX_MANIFEST_DEPTH } from './limits.ts';
import { countLines } from './line-diff.ts';

/** Text of a lock file, fit to be read line by line. */
export interface LockText {
  readonly content: Buffer;
  /** Whether its lines are those of the file. */
  readonly sameLines: boolean;
}

/**
 * JSON is laid out anew, as JSON has many ways to write an address, or to put it where it is taken for something else.
 * The tools that write these files lay them out like this, so lines nearly always stay. A reason where that fails.
 */
export function lockText(content: Buffer, isJson: boolean): LockText | string {
  if (content.length > MAX_LOCK_BYTES || countLines(content) > MAX_LOCK_LINES) return 'too large to be looked through';
  if (content.includes(0)) return 'not text';
  if (!isJson) return { content, sameLines: true };
  const exceeded = exceededBy(content, { depth: MAX_MANIFEST_DEPTH, values: MAX_LOCK_LINES });
  if (exceeded !== undefined) return exceeded === 'depth' ? 'nested too deeply' : 'holds too many values';
  const text = content
    .toString('utf8')
    .replace(/^\ufeff/, '')
    .replaceAll('\r\n', '\n');
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return 'not JSON';
  }
  const indent = /\n([ \t]{1,10})["[{]/.exec(text)?.[1] ?? '';
  const sameLines = JSON.stringify(value, null, indent) === text.trimEnd() && indent !== '';
  return { content: Buffer.from(`${JSON.stringify(value, null, 2)}\n`), sameLines };
}
