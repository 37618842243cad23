import { type Static, Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import type { ToolEnd } from '../events/pi-schema.ts';
import { formatBytes } from '../lib/format.ts';

const Count = Type.Integer({ minimum: 0 });
const Details = Type.Object({
  truncation: Type.Optional(
    Type.Object({
      truncated: Type.Boolean(),
      totalBytes: Count,
      outputBytes: Count,
      totalLines: Count,
      outputLines: Count,
    }),
  ),
  fullOutputPath: Type.Optional(Type.String()),
});

export interface Cut {
  /** `1000 B of 58.6 KiB (1 of 60 lines)` or the like. */
  readonly text: string;
  /** Size of the whole output, where pi says it. */
  readonly totalBytes: number | undefined;
  /** The whole was in a file of the container. */
  readonly spilled: boolean;
}

/** What pi cut from a result before the model saw it; undefined when nothing. A claim, as everything that pi says. */
export function cutOf(end: Static<typeof ToolEnd> | undefined): Cut | undefined {
  const details = end?.result.details;
  if (!Check(Details, details)) return undefined;
  const { truncation, fullOutputPath } = details;
  const spilled = fullOutputPath !== undefined;
  if (truncation?.truncated !== true) {
    return spilled ? { text: 'a part', totalBytes: undefined, spilled } : undefined;
  }
  const { outputBytes, totalBytes, outputLines, totalLines } = truncation;
  const text = `${formatBytes(outputBytes)} of ${formatBytes(totalBytes)} (${outputLines} of ${totalLines} lines)`;
  return { text, totalBytes, spilled };
}
