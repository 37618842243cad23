import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';

/** A run folder as a controller leaves it, with the files named. Values become JSON, arrays JSON lines, texts themselves. */
export function writeRun(stateHome: string, run: string, files: Readonly<Record<string, unknown>>): string {
  const folder = path.join(stateHome, 'pi-sandbox', 'runs', run);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  for (const [name, value] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true, mode: 0o700 });
    writeFileSync(path.join(folder, name), textOf(value), { mode: 0o600 });
  }
  return folder;
}

function textOf(value: unknown): string | Buffer {
  if (typeof value === 'string' || Buffer.isBuffer(value)) return value;
  return Array.isArray(value) ? value.map((line) => `${JSON.stringify(line)}\n`).join('') : JSON.stringify(value);
}

/** The part of a plan that lists show. */
export function listedPlan(repo: string): unknown {
  return { profile: 'edit', model: { spec: 'scripted:s.yaml' }, workspace: { root: repo } };
}

export const COMPLETED = {
  outcome: 'completed',
  exitCode: 0,
  reason: 'The model ended its answer and pi left in order.',
};

/** Records with their stamps, numbered from 1. */
export function stamped(run: string, records: readonly Readonly<Record<string, unknown>>[]): unknown[] {
  return records.map((record, at) => ({ v: 1, seq: at + 1, time: '2026-11-30T02:16:10.000Z', run, ...record }));
}

/** Start and end of a tool call, as pi's events. */
export function toolCall(id: string, text: string, details?: unknown): Readonly<Record<string, unknown>>[] {
  const head = { toolCallId: id, toolName: 'bash' };
  const start = { type: 'tool_execution_start', ...head, args: { command: 'true' } };
  const end = {
    type: 'tool_execution_end',
    ...head,
    result: { content: [{ type: 'text', text }], ...(details === undefined ? {} : { details }) },
    isError: false,
    durationMs: 5,
  };
  return [start, end].map((event) => ({ source: 'claimed', type: 'pi', event }));
}

/** The first record of a run. */
export function startedOn(endpoint: string): Readonly<Record<string, unknown>> {
  return {
    source: 'observed',
    type: 'run_started',
    machine: 'm',
    image: 'pi-sandbox:test',
    engine: { version: '20.10.24', api: '1.41', endpoint },
    workspace: { mode: 'copy', root: '/repo', files: 1, bytes: 2 },
    leftOut: { ignored: 3 },
  };
}
