import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { LedgerEntry } from '../../src/protocol/ledger.ts';
import type { SandboxRecord } from '../../src/protocol/record.ts';

/** An event of pi as tests look at it. */
export interface PiEvent {
  readonly type: string;
  readonly toolCallId?: string;
  readonly toolName?: string;
  readonly isError?: boolean;
  readonly durationMs?: number;
  readonly result?: ToolResult;
  readonly partialResult?: ToolResult;
  readonly entry?: { type: string; customType?: string; data?: unknown };
  readonly message?: {
    role: string;
    content?: { type: string; text?: string }[];
    toolCallId?: string;
    toolsAdded?: { name: string }[];
  };
}

export interface ToolResult {
  readonly content: { type: string; text?: string }[];
  readonly details?: Record<string, unknown>;
  readonly structuredContent?: unknown;
}

/** The events of pi among the records, of these types only when some are named. */
export function piEvents(records: readonly SandboxRecord[], ...types: readonly string[]): PiEvent[] {
  return records
    .filter(({ type }) => type === 'pi')
    .map((record) => record['event'] as PiEvent)
    .filter((event) => types.length === 0 || types.includes(event.type));
}

/** The tools that pi declared to the model, in their order. */
export function declaredIn(records: readonly SandboxRecord[]): string[] {
  return piEvents(records, 'message_start').flatMap(
    ({ message }) => message?.toolsAdded?.map(({ name }) => name) ?? [],
  );
}

/** The end of one tool call. */
export function endOf(records: readonly SandboxRecord[], id: string): PiEvent & { readonly result: ToolResult } {
  const found = piEvents(records, 'tool_execution_end').find(({ toolCallId }) => toolCallId === id);
  if (found?.result === undefined) throw new Error(`no end of ${id} among ${records.length} records`);
  return { ...found, result: found.result };
}

/** What the model was told of one tool call. */
export function textOf(records: readonly SandboxRecord[], id: string): string {
  return endOf(records, id)
    .result.content.map(({ text = '' }) => text)
    .join('\n');
}

export function isUpdate(record: SandboxRecord, text: string): boolean {
  const event = record['event'] as PiEvent | undefined;
  if (record.type !== 'pi' || event?.type !== 'tool_execution_update') return false;
  return event.partialResult?.content.some((block) => block.text?.includes(text)) === true;
}

/** Whether a tool call with this id has just begun. */
export function isStart(record: SandboxRecord, id: string): boolean {
  const event = record['event'] as PiEvent | undefined;
  return record.type === 'pi' && event?.type === 'tool_execution_start' && event.toolCallId === id;
}

export function ofType(records: readonly SandboxRecord[], type: string): SandboxRecord {
  const found = records.find((record) => record.type === type);
  if (found === undefined) throw new Error(`no record ${type} among ${records.map((record) => record.type).join(' ')}`);
  return found;
}

/** The ledger that the gateway wrote for a run. */
export function ledger(runs: string, run: string): LedgerEntry[] {
  const text = readFileSync(path.join(runs, run, 'ledger.jsonl'), 'utf8');
  return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as LedgerEntry]));
}
