/** Reads what the host wrote down about a run: the only evidence that the account of the demo uses. */
import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { problemText, strictParse } from '../src/lib/strict-parse.ts';
import { LedgerEntry } from '../src/protocol/ledger.ts';
import { SandboxRecord } from '../src/protocol/record.ts';

const Finding = Type.Object({ field: Type.String(), expected: Type.String(), actual: Type.String() });
const Numbered = { seq: Type.Integer(), source: Type.Literal('observed') };
const Posture = Type.Object({
  ...Numbered,
  type: Type.Literal('posture'),
  evidence: Type.Union([Type.Literal('host'), Type.Literal('probe')]),
  findings: Type.Array(Finding),
  accepted: Type.Array(Finding),
});

const Ended = Type.Object({
  ...Numbered,
  type: Type.Literal('outcome'),
  outcome: Type.String(),
  reason: Type.String(),
});

const Started = Type.Object({
  ...Numbered,
  type: Type.Literal('run_started'),
  leftOut: Type.Record(Type.String(), Type.Number()),
});

export interface Facts {
  /** The run folder. */
  readonly folder: string;
  readonly records: readonly Static<typeof SandboxRecord>[];
  readonly ledger: readonly LedgerEntry[];
  /** The container as it was read back, just before the repository entered. */
  readonly posture: Static<typeof Posture>;
  readonly started: Static<typeof Started>;
  readonly ended: Static<typeof Ended>;
}

export function readFacts(folder: string): Facts {
  const records = lines(folder, 'events.jsonl', SandboxRecord);
  const last = (type: string) => JSON.stringify(records.findLast((record) => record.type === type) ?? null);
  return {
    folder,
    records,
    ledger: lines(folder, 'ledger.jsonl', LedgerEntry),
    posture: parse(Posture, last('posture'), 'the record of the posture'),
    started: parse(Started, last('run_started'), 'the record of the start'),
    ended: parse(Ended, last('outcome'), 'the record of the outcome'),
  };
}

/** Names of the files in a run folder, at any depth, that hold a text. */
export function filesWith(folder: string, text: string): string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => path.join(entry.parentPath, entry.name))
    .filter((file) => readFileSync(file).includes(text))
    .map((file) => path.relative(folder, file));
}

function read(folder: string, name: string): string {
  return readFileSync(path.join(folder, name), 'utf8');
}

function lines<T extends TSchema>(folder: string, name: string, schema: T): Static<T>[] {
  const texts = read(folder, name)
    .split('\n')
    .filter((line) => line !== '');
  return texts.map((line) => parse(schema, line, name));
}

/** JSON text as the schema says, unknown fields kept. */
export function parse<T extends TSchema>(schema: T, text: string, name: string): Static<T> {
  const parsed = strictParse(schema, JSON.parse(text));
  if (!parsed.ok) throw new Error(`${name} is not as expected: ${problemText(parsed.problems)}`);
  return parsed.value;
}
