import type { PiEvent } from '../events/pi-schema.ts';

/** Calls whose files are remembered. */
const MAX_CALLS = 2_000;
/** Where pi puts full bash output; anything else that pi names is not read. */
const SPILL_FILE = /^\/spill\/pi-bash-[0-9a-f]{16}\.log$/;

/** Which temp file in the container holds the full output of which tool call, as far as pi says so. */
export class OutputPaths {
  readonly #paths = new Map<string, string>();

  take(event: PiEvent): void {
    if (event.type !== 'tool_execution_end' || this.#paths.size >= MAX_CALLS) return;
    const details = event.result.details as { fullOutputPath?: unknown } | undefined;
    const path = details?.fullOutputPath;
    if (typeof path === 'string' && SPILL_FILE.test(path)) this.#paths.set(event.toolCallId, path);
  }

  get(call: string): string | undefined {
    return this.#paths.get(call);
  }

  entries(): IterableIterator<[string, string]> {
    return this.#paths.entries();
  }
}
