import { SandboxError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import type { Placed } from './layer.ts';

/** Tools of pi 1.6.0 that the image can run. Its eighth, `powershell`, has no interpreter there. */
export const KNOWN_TOOLS = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'] as const;

/**
 * The tools so far, changed by a selection and then an exclusion in pi's own list syntax. pi ignores names that it does not
 * know, so that a typo in a deny list leaves the tool on; here they are refused. Throws SandboxError.
 */
export function selectTools(
  before: readonly string[],
  { select, exclude }: { select?: Placed<string> | undefined; exclude?: Placed<string> | undefined },
): string[] {
  const chosen = select === undefined ? new Set(before) : fromList(before, select);
  for (const entry of split(exclude?.value ?? '')) {
    for (const name of expand(entry, exclude!.label)) chosen.delete(name);
  }
  return KNOWN_TOOLS.filter((name) => chosen.has(name));
}

function fromList(before: readonly string[], { value, label }: Placed<string>): Set<string> {
  const entries = split(value);
  const relative = entries.filter((entry) => /^[+-]/.test(entry));
  if (relative.length === 0) return new Set(entries.flatMap((entry) => expand(entry, label)));
  if (relative.length !== entries.length) {
    throw new SandboxError('usage', `${label}: tool names cannot be mixed with +name or -name entries.`, {
      hint: 'Write either the whole list (read,grep) or only changes to the profile (+grep,-write).',
    });
  }
  const chosen = new Set(before);
  for (const entry of relative) {
    const name = entry.slice(1);
    if (name.includes('*')) {
      throw new SandboxError('usage', `${label}: +name and -name take exact tool names, not patterns: ${entry}.`);
    }
    const [known] = expand(name, label);
    if (entry.startsWith('+')) chosen.add(known!);
    else chosen.delete(known!);
  }
  return chosen;
}

function split(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function expand(entry: string, label: string): string[] {
  if (entry === 'powershell') {
    throw new SandboxError('usage', `${label}: the image has no PowerShell, so the tool "powershell" cannot be used.`);
  }
  const pattern = new RegExp(`^${entry.split('*').map(literal).join('.*')}$`);
  const names = KNOWN_TOOLS.filter((name) => pattern.test(name));
  if (names.length > 0) return names;
  const guess = nearest(entry, KNOWN_TOOLS);
  throw new SandboxError('usage', `${label}: pi has no tool "${entry}".`, {
    hint: guess === undefined ? `The tools are ${KNOWN_TOOLS.join(', ')}.` : `Did you mean "${guess}"?`,
  });
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
