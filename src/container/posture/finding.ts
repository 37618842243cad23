/** One field of the container that is not what the plan asked for. */
export interface Finding {
  /** Field of the create call, for example `CapDrop` or `Ulimits.nofile`; what `--accept-weaker` takes. */
  readonly field: string;
  readonly expected: string;
  readonly actual: string;
  /** Where it was seen: the engine's word, or the process itself. */
  readonly seen: 'engine' | 'main process' | 'pi process' | 'cgroup';
}

/** A finding when the two differ as JSON, nothing otherwise. */
export function compare(field: string, seen: Finding['seen'], expected: unknown, actual: unknown): Finding[] {
  const [left, right] = [JSON.stringify(expected), JSON.stringify(actual)];
  return left === right ? [] : [{ field, seen, expected: short(left), actual: short(right) }];
}

/** Longest value that a message shows, characters. */
const MAX_SHOWN = 200;

function short(text: string | undefined): string {
  if (text === undefined) return 'absent';
  return text.length > MAX_SHOWN ? `${text.slice(0, MAX_SHOWN)}... (${text.length} characters)` : text;
}
