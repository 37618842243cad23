import { type Stats, statSync } from 'node:fs';
import { readCandidates, resolveToolPath } from './path-forms.ts';

/** Tools that open the file that their `path` names. `find` and `ls` look at names only. */
const OPENING_TOOLS = new Set(['read', 'write', 'edit', 'grep']);

/**
 * Why a call must not run: it would open a FIFO, socket or device, which pi can neither time out nor abort.
 * Undefined when it may. Follows links, as opening does. A file swapped between this look and the opening is not seen;
 * the host's own deadline is what ends such a run.
 */
export function refuseSpecialFile(tool: string, input: Record<string, unknown>, cwd: string): string | undefined {
  const path = input['path'];
  if (!OPENING_TOOLS.has(tool) || typeof path !== 'string') return undefined;
  let candidates: string[];
  try {
    const resolved = resolveToolPath(path, cwd);
    candidates = tool === 'read' ? readCandidates(resolved) : [resolved];
  } catch {
    return `pi-sandbox: ${tool} cannot use this path: it names no file in the sandbox`;
  }
  for (const candidate of candidates) {
    const kind = specialKind(candidate);
    if (kind !== undefined) return `pi-sandbox: ${tool} works on regular files only, and ${path} is ${kind}`;
  }
  return undefined;
}

function specialKind(path: string): string | undefined {
  let stats: Stats | undefined;
  try {
    stats = statSync(path, { throwIfNoEntry: false });
  } catch {
    // Not there, not reachable or not a path at all: opening it fails in the same way, with pi's own words.
    return undefined;
  }
  if (stats === undefined || stats.isFile() || stats.isDirectory()) return undefined;
  if (stats.isFIFO()) return 'a named pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}
