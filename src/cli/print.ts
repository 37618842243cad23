import { safeJson } from '../lib/safe-json.ts';
import { sanitize } from '../lib/sanitize.ts';

/** A line of a result for a person. What stands in it may come from anywhere. */
export function printLine(text: string): void {
  process.stdout.write(`${sanitize(text, { keepNewlines: false })}\n`);
}

/** A word to the user beside the result. */
export function say(text: string): void {
  process.stderr.write(`${sanitize(text, { keepNewlines: false })}\n`);
}

/** A result as JSON, for people to read too. */
export function printJson(value: unknown): void {
  process.stdout.write(`${safeJson(value, 2)}\n`);
}

/** As `printJson`, with a last key whose value is base64 of bytes that come piece by piece. */
export async function printJsonWithBytes(value: object, key: string, source: AsyncIterable<Buffer>): Promise<void> {
  const text = safeJson({ ...value, [key]: '' }, 2);
  const end = '"\n}';
  process.stdout.write(text.slice(0, -end.length));
  let rest: Buffer = Buffer.alloc(0);
  for await (const chunk of source) {
    if (process.stdout.destroyed) return;
    const bytes = Buffer.concat([rest, chunk]);
    // Groups of three bytes are four characters each, without padding between pieces.
    const whole = bytes.length - (bytes.length % 3);
    process.stdout.write(bytes.toString('base64', 0, whole));
    rest = bytes.subarray(whole);
    await stdoutReady();
  }
  process.stdout.write(`${rest.toString('base64')}${end}\n`);
}

/** One of many results, on a line. False when the reader is slower than we are. */
export function printJsonLine(value: unknown): boolean {
  return process.stdout.write(`${safeJson(value)}\n`);
}

/** Waits while the reader of standard output is slower than we are; returns also when it is gone. */
export function stdoutReady(): Promise<void> {
  const { stdout } = process;
  if (!stdout.writableNeedDrain || stdout.destroyed) return Promise.resolve();
  return new Promise((resolve) => {
    const done = (): void => {
      for (const event of ['drain', 'close', 'error']) stdout.off(event, done);
      resolve();
    };
    for (const event of ['drain', 'close', 'error']) stdout.once(event, done);
  });
}

const GAP = '  ';

/** Rows with aligned columns; the last column is as long as it likes. */
export function printTable(rows: readonly (readonly string[])[]): void {
  const safe = rows.map((row) => row.map((cell) => sanitize(cell, { keepNewlines: false })));
  const widths = columnWidths(safe);
  for (const row of safe) {
    const padded = row.map((cell, at) => (at === row.length - 1 ? cell : cell.padEnd(widths[at] ?? 0)));
    process.stdout.write(`${padded.join(GAP)}\n`);
  }
}

/** Characters of the longest row of a table. */
export function tableWidth(rows: readonly (readonly string[])[]): number {
  const widths = columnWidths(rows);
  return widths.reduce((sum, width) => sum + width, 0) + GAP.length * Math.max(0, widths.length - 1);
}

function columnWidths(rows: readonly (readonly string[])[]): number[] {
  const columns = Math.max(0, ...rows.map((row) => row.length));
  return Array.from({ length: columns }, (_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
}
