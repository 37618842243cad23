import { messageOf, SandboxError } from '../errors.ts';
import { type NewRecord, RECORD_VERSION, type SandboxRecord } from '../protocol/record.ts';
import { AppendFile } from './append-file.ts';
import { isRecord } from './parse-record.ts';
import { codeOf } from './private-folder.ts';
import type { RunFolder } from './run-folder.ts';

export interface TranscriptOptions {
  /** Size of the file, bytes. Beyond it only the outcome is written. */
  readonly maxBytes: number;
  readonly now: () => Date;
  /** Told once, in one sentence, when records cannot be written. */
  readonly onTrouble?: (message: string) => void;
}

export const TRANSCRIPT_FILE = 'events.jsonl';
/** Room for the marker and the outcome at the end of a full file, bytes. */
const RESERVE_BYTES = 16 * 1024;
/** Live progress of pi: shown as it happens, not kept, since the final event carries the whole. */
const PROGRESS = new Set(['message_update', 'tool_execution_update', 'bash_execution_update']);

/**
 * The record of a run, `events.jsonl`: one SandboxRecord a line, only ever added to, mode 0600. It never fails the run:
 * what cannot be written is counted and the user is told once.
 */
export class Transcript {
  readonly #file: AppendFile;
  readonly #path: string;
  readonly #run: string;
  readonly #options: TranscriptOptions;
  #seq: number;
  #full = false;
  #told = false;
  #dropped = 0;

  private constructor(path: string, run: string, options: TranscriptOptions) {
    this.#path = path;
    this.#run = run;
    this.#options = options;
    this.#file = new AppendFile(path);
    this.#seq = this.#file.findLast(seqOf) ?? 0;
  }

  /** Opens or creates the file; numbers go on after the last record. @throws SandboxError `state` */
  static open(folder: RunFolder, run: string, options: TranscriptOptions): Transcript {
    const path = folder.path(TRANSCRIPT_FILE);
    try {
      return new Transcript(path, run, options);
    } catch (error) {
      throw new SandboxError('state', `Cannot open the transcript ${path}: ${codeOf(error) ?? messageOf(error)}.`, {
        cause: error,
        hint: 'Check the free space and the permissions of the state folder.',
      });
    }
  }

  /** Records that are missing in the file for want of room or for an error; progress is not counted. */
  get dropped(): number {
    return this.#dropped;
  }

  /** Stamps the record and writes it. The stamped record is returned in any case, for live output. */
  append(record: NewRecord): SandboxRecord {
    const head = {
      v: RECORD_VERSION,
      seq: ++this.#seq,
      time: this.#options.now().toISOString(),
      run: this.#run,
    } as const;
    // The stamp comes first for the reader and last for safety: a record cannot bring its own.
    const stamped: SandboxRecord = { ...head, ...record, ...head };
    if (!isProgress(record)) this.#keep(stamped);
    return stamped;
  }

  close(): void {
    this.#file.close();
  }

  #keep(record: SandboxRecord): void {
    const line = JSON.stringify(record);
    const after = this.#file.size + Buffer.byteLength(line) + 2;
    if (record.type === 'outcome' || (!this.#full && after <= this.#options.maxBytes - RESERVE_BYTES)) {
      if (!this.#write(line)) this.#dropped++;
      return;
    }
    this.#dropped++;
    if (!this.#full) this.#markFull(record);
  }

  /** Stands in the place, and under the number, of the first record that did not fit. */
  #markFull(instead: SandboxRecord): void {
    this.#full = true;
    const { v, seq, time, run } = instead;
    const { maxBytes } = this.#options;
    this.#write(JSON.stringify({ v, seq, time, run, source: 'observed', type: 'transcript_full', maxBytes }));
    this.#tell(`The transcript ${this.#path} has reached its limit of ${maxBytes} bytes; later records are not kept.`);
  }

  #write(line: string): boolean {
    try {
      this.#file.append(line);
      return true;
    } catch (error) {
      this.#tell(
        `The transcript ${this.#path} cannot be written (${codeOf(error) ?? messageOf(error)}); records are lost, the run goes on.`,
      );
      return false;
    }
  }

  #tell(message: string): void {
    if (this.#told) return;
    this.#told = true;
    this.#options.onTrouble?.(message);
  }
}

function isProgress(record: NewRecord): boolean {
  if (record.type !== 'pi') return false;
  const event = record['event'];
  return typeof event === 'object' && event !== null && 'type' in event && PROGRESS.has(String(event.type));
}

function seqOf(line: string): number | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return isRecord(value) ? value.seq : undefined;
  } catch {
    return undefined;
  }
}
