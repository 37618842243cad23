import { readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';

/** How often the memory of a process is looked at, milliseconds. */
const SAMPLE_MS = 5;

/** Resident memory of a process, bytes. Zero once it is gone. */
export function residentBytes(pid: number): number {
  try {
    const kib = /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
    return Number(kib ?? 0) * 1024;
  } catch {
    return 0;
  }
}

/** Watches the memory of a process from now on. `growth` is the highest value so far less the first, bytes. */
export class MemoryWatch implements Disposable {
  readonly first: number;
  samples = 0;
  #peak: number;
  readonly #timer: NodeJS.Timeout;

  constructor(pid: number) {
    this.first = residentBytes(pid);
    this.#peak = this.first;
    this.#timer = setInterval(() => {
      this.samples++;
      this.#peak = Math.max(this.#peak, residentBytes(pid));
    }, SAMPLE_MS);
  }

  get growth(): number {
    return this.#peak - this.first;
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}

/** Size of a folder with everything below it, bytes on disk. */
export function diskBytes(folder: string): number {
  let bytes = 0;
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    bytes += (statSync(path.join(entry.parentPath, entry.name), { throwIfNoEntry: false })?.blocks ?? 0) * 512;
  }
  return bytes;
}
