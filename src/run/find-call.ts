import path from 'node:path';
import type { Static } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { SandboxError } from '../errors.ts';
import { ToolEnd, ToolStart } from '../events/pi-schema.ts';
import { readTranscript } from '../transcript/read-transcript.ts';
import { TRANSCRIPT_FILE } from '../transcript/transcript.ts';

/** A tool call as the transcript knows it. */
export interface KnownCall {
  /** From 1, in the order of starts: the number that a transcript shows. */
  readonly number: number;
  readonly id: string;
  readonly tool: string;
  /** Absent while it runs, and when its end is not on record. */
  end?: Static<typeof ToolEnd>;
}

/** Calls that an ambiguous prefix is explained with, and that are named when nothing fits. */
const MAX_NAMED = 5;

/**
 * The call meant by an id, a unique prefix of one, or the number shown by `logs`.
 *
 * @throws SandboxError `usage` when there is none or more than one
 */
export async function findCall(runFolder: string, ref: string): Promise<KnownCall> {
  const number = Number(/^\[?(\d+)\]?$/.exec(ref)?.[1] ?? 'NaN');
  const candidates = new Map<string, KnownCall>();
  let recent: KnownCall[] = [];
  let count = 0;
  for await (const record of readTranscript(path.join(runFolder, TRANSCRIPT_FILE))) {
    if ('torn' in record || record.type !== 'pi') continue;
    const event = record['event'];
    if (Check(ToolStart, event)) {
      const call = { number: ++count, id: event.toolCallId, tool: event.toolName };
      recent = [...recent, call].slice(-MAX_NAMED);
      const fits = call.id === ref || call.number === number;
      if (fits || (call.id.startsWith(ref) && candidates.size <= MAX_NAMED)) candidates.set(call.id, call);
    } else if (Check(ToolEnd, event)) {
      const call = candidates.get(event.toolCallId);
      if (call !== undefined) call.end = event;
    }
  }
  const found = [...candidates.values()];
  const exact = candidates.get(ref) ?? found.find((call) => call.number === number);
  if (exact !== undefined) return exact;
  const [only] = found;
  if (only !== undefined && found.length === 1) return only;
  throw new SandboxError(
    'usage',
    found.length > 1
      ? `"${ref}" stands for more than one call: ${names(found.slice(0, MAX_NAMED))}.`
      : `There is no tool call "${ref}" in this run.`,
    { hint: count === 0 ? 'The run has made no tool call.' : `The last ones are ${names(recent)}.` },
  );
}

function names(calls: readonly KnownCall[]): string {
  return calls.map((call) => `[${call.number}] ${call.id} (${call.tool})`).join(', ');
}
