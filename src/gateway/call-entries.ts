import type { LedgerEntry, LedgerUsage } from '../protocol/ledger.ts';
import type { NewRecord } from '../protocol/record.ts';
import type { Admitted } from './admission.ts';
import type { AnswerRecord } from './answer-record.ts';
import type { MeteredCall } from './meter.ts';
import type { ModelSource } from './model-source.ts';

/** Longest id or name of a tool call in the ledger, characters. */
const MAX_NAME = 256;

interface Made {
  readonly run: string;
  /** ISO 8601 in UTC. */
  readonly time: string;
  /** Counts from 1. */
  readonly call: number;
}

/** The line that is written before a call is made. */
export function openEntry(
  made: Made,
  { bytes, sha256 }: Admitted,
  { messages, reserved }: MeteredCall,
  { identity }: ModelSource,
): LedgerEntry {
  return {
    ...{ v: 1, entry: 'open', ...made, provider: identity.provider, model: identity.model },
    ...{ requestBytes: bytes, requestSha256: sha256, messages: messages.length, maxOutputTokens: reserved.tokens },
    ...(reserved.usd > 0 ? { reservedUsd: reserved.usd } : {}),
  };
}

/** What is recorded then: what the model is told by us, and what it is asked. */
export function openRecords(
  call: number,
  { bytes, redacted }: Admitted,
  { messages, added }: MeteredCall,
  { model }: ModelSource,
): NewRecord[] {
  const notes = added.map(({ limit, text }) => ({ type: 'gateway.note', call, limit, text }));
  const request = {
    ...{ type: 'gateway.request', call, model: model.id, messages: messages.length, bytes },
    ...(Object.keys(redacted).length === 0 ? {} : { redacted }),
  };
  return [...notes, request].map((record) => ({ source: 'observed', ...record }));
}

export interface Ended {
  readonly stopReason: string;
  readonly usage: LedgerUsage;
  readonly durationMs: number;
}

/** The line that is written before an answer ends. */
export function closeEntry(made: Made, ended: Ended, said: AnswerRecord): LedgerEntry {
  const toolCalls = said.toolCalls.map(({ id, name }) => ({
    id: id.slice(0, MAX_NAME),
    name: name.slice(0, MAX_NAME),
  }));
  return { v: 1, entry: 'close', ...made, ...ended, toolCalls };
}

/** What is recorded then. `failure` says why the answer has no good end. */
export function closeRecord(
  call: number,
  { stopReason, usage, durationMs }: Ended,
  said: AnswerRecord,
  failure: { readonly error: string; readonly category: string | undefined } | undefined,
): NewRecord {
  return {
    ...{ source: 'observed', type: 'gateway.response', call, stopReason, text: said.text },
    ...(said.textOmitted > 0 ? { textOmitted: said.textOmitted } : {}),
    ...{ thinkingBytes: said.thinkingBytes, toolCalls: said.toolCalls, usage, durationMs },
    ...failure,
  };
}
