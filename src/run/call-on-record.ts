import path from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { SandboxError } from '../errors.ts';
import { ToolStart } from '../events/pi-schema.ts';
import { GateAskRecord, GateBypassRecord, GateRecord } from '../protocol/gate-record.ts';
import type { SandboxRecord, Source } from '../protocol/record.ts';
import { readTranscript } from '../transcript/read-transcript.ts';
import { TRANSCRIPT_FILE } from '../transcript/transcript.ts';
import { findCall } from './find-call.ts';

/** Everything that a transcript holds of one tool call and of what was decided about it. */
export interface CallOnRecord {
  readonly id: string;
  readonly tool: string;
  /** The number that a transcript shows; absent of calls that another tool made. */
  readonly number?: number;
  /** Absent where they are not on record whole. */
  arguments?: Readonly<Record<string, unknown>>;
  /** Who vouches for the arguments. */
  source: Source;
  gate?: GateRecord;
  ask?: GateAskRecord;
  bypass?: GateBypassRecord;
}

/** The part of the gateway's record of an answer that is used here. */
const Response = Type.Object({
  source: Type.Literal('observed'),
  type: Type.Literal('gateway.response'),
  toolCalls: Type.Array(Type.Object({ id: Type.String(), name: Type.String(), arguments: Type.Unknown() })),
});
const Arguments = Type.Record(Type.String(), Type.Unknown());

/** Calls that an ambiguous prefix is explained with. */
const MAX_NAMED = 5;

/**
 * The call meant by an id, a unique prefix of one, or the number that a transcript shows.
 *
 * @throws SandboxError `usage` when there is none or more than one, `state` without a transcript
 */
export async function callOnRecord(runFolder: string, ref: string): Promise<CallOnRecord> {
  const call: CallOnRecord = { ...(await find(runFolder, ref)), source: 'claimed' };
  for await (const record of readTranscript(path.join(runFolder, TRANSCRIPT_FILE))) {
    if (!('torn' in record)) take(call, record);
  }
  return call;
}

/** By pi's events, and where those know nothing by the records of the gate: pi tells little of calls that tools make. */
async function find(runFolder: string, ref: string): Promise<Pick<CallOnRecord, 'id' | 'tool' | 'number'>> {
  try {
    const { id, tool, number } = await findCall(runFolder, ref);
    return { id, tool, number };
  } catch (error) {
    if (!(error instanceof SandboxError) || error.code !== 'usage') throw error;
    const asked = await askedAbout(runFolder, ref);
    const exact = asked.get(ref);
    if (exact !== undefined) return { id: ref, tool: exact };
    const [only, ...others] = asked;
    if (only === undefined) throw error;
    if (others.length === 0) return { id: only[0], tool: only[1] };
    const names = [...asked].slice(0, MAX_NAMED).map(([id, tool]) => `${id} (${tool})`);
    throw new SandboxError('usage', `"${ref}" stands for more than one call: ${names.join(', ')}.`);
  }
}

/** Calls that the gate was asked about and whose id begins like this. */
async function askedAbout(runFolder: string, ref: string): Promise<ReadonlyMap<string, string>> {
  const found = new Map<string, string>();
  for await (const record of readTranscript(path.join(runFolder, TRANSCRIPT_FILE))) {
    if (!(Check(GateRecord, record) || Check(GateAskRecord, record)) || !record.call.startsWith(ref)) continue;
    if (record.call === ref || found.size <= MAX_NAMED) found.set(record.call, record.tool);
  }
  return found;
}

function take(call: CallOnRecord, record: SandboxRecord): void {
  if (Check(GateRecord, record)) {
    if (record.call === call.id && record.stray !== true) call.gate = record;
  } else if (Check(GateAskRecord, record) && record.call === call.id) {
    call.ask = record;
    if (call.arguments === undefined) give(call, record.arguments, record.claimed ? 'claimed' : 'observed');
  } else if (Check(GateBypassRecord, record) && record.call === call.id) call.bypass = record;
  else if (Check(Response, record)) {
    const said = record.toolCalls.find(({ id }) => id === call.id);
    if (said !== undefined) give(call, said.arguments, 'observed');
  } else if (record.type === 'pi') {
    const event = record['event'] as Static<typeof ToolStart>;
    if (call.source === 'observed' || !Check(ToolStart, event) || event.toolCallId !== call.id) return;
    give(call, event.args, 'claimed');
  }
}

function give(call: CallOnRecord, args: unknown, source: Source): void {
  call.source = source;
  // Long ones are on record as the beginning of their JSON.
  if (Check(Arguments, args) && !(Object.keys(args).length === 1 && 'truncated' in args)) call.arguments = args;
  else delete call.arguments;
}
