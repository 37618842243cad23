import type { LedgerEntry } from '../protocol/ledger.ts';
import { AppendFile } from './append-file.ts';
import type { RunFolder } from './run-folder.ts';

export const LEDGER_FILE = 'ledger.jsonl';

/** What the gateway let through, one line before each answer. A line that cannot be written must stop the run. */
export class LedgerFile {
  readonly #file: AppendFile;

  constructor(folder: RunFolder) {
    this.#file = new AppendFile(folder.path(LEDGER_FILE));
  }

  /** Throws when the line is not on disk. */
  append(entry: LedgerEntry): void {
    this.#file.append(JSON.stringify(entry));
  }

  close(): void {
    this.#file.close();
  }
}
