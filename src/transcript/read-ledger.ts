import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { Check } from '@sinclair/typebox/value';
import { EgressTally } from '../lib/egress-tally.ts';
import { lines } from '../lib/lines.ts';
import { addUsd } from '../lib/money.ts';
import { LedgerEntry } from '../protocol/ledger.ts';
import type { LedgerSums } from '../protocol/run-details.ts';
import { LEDGER_FILE } from './ledger-file.ts';
import { openTranscript } from './read-transcript.ts';

/** Longest line of a ledger, bytes; a close entry names the tool calls of its answer. */
const LINE_BYTES = 4 * 1024 * 1024;

/** Sums of a run's ledger. Undefined when the run has none. @throws SandboxError `state` */
export async function readLedger(runFolder: string): Promise<LedgerSums | undefined> {
  const file = join(runFolder, LEDGER_FILE);
  if (!existsSync(file)) return undefined;
  const totals = {
    requests: 0,
    unsettled: 0,
    refused: 0,
    toolCalls: { allowed: 0, denied: 0 },
    usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    costUsd: 0,
    estimated: false,
    damaged: 0,
  };
  const egress = new EgressTally();
  const handle = await openTranscript(file);
  try {
    const bytes = handle.createReadStream({ autoClose: false });
    for await (const line of lines(bytes, { lineBytes: LINE_BYTES, totalBytes: Number.MAX_SAFE_INTEGER })) {
      const entry = line.kind === 'line' ? parse(line.content) : undefined;
      if (entry === undefined) totals.damaged++;
      else if (entry.entry === 'refused') totals.refused++;
      else if (entry.entry === 'gate') totals.toolCalls[entry.verdict === 'deny' ? 'denied' : 'allowed']++;
      else if (entry.entry === 'egress' || entry.entry === 'egress_end') egress.add(entry);
      else if (entry.entry === 'open') {
        totals.requests++;
        totals.unsettled++;
      } else {
        totals.unsettled--;
        totals.usage.input += entry.usage.input;
        totals.usage.output += entry.usage.output;
        totals.usage.cacheRead += entry.usage.cacheRead;
        totals.usage.cacheWrite += entry.usage.cacheWrite;
        totals.costUsd = addUsd(totals.costUsd, entry.usage.costUsd);
        totals.estimated ||= entry.usage.estimated === true;
      }
    }
  } finally {
    await handle.close();
  }
  return { ...totals, egress: egress.sums };
}

function parse(line: Buffer): LedgerEntry | undefined {
  try {
    const value: unknown = JSON.parse(line.toString('utf8'));
    return Check(LedgerEntry, value) ? value : undefined;
  } catch {
    return undefined;
  }
}
