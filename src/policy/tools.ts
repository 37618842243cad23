import { SandboxError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import type { Placed } from './layer.ts';

/** Tools of pi 1.6.0 that the image can run. Its eighth, `powershell`, has no interpreter there. */
export const KNOWN_TOOLS = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'] as const;

/** Name of a tool that an extension may bring along. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * The tools so far, changed by a selection and then an exclusion in pi's own list syntax. pi ignores names that it does not
 * know, so that a typo in a deny list leaves the tool on; here they are refused. With `foreign` other names are taken for
 * tools of extensions; whether those have them shows when pi declares its tools. Throws SandboxError.
 */
export function selectTools(
  before: readonly string[],
  { select, exclude }: { select?: Placed<string> | undefined; exclude?: Placed<string> | undefined },
  foreign = false,
): string[] {
  const chosen = select === undefined ? new Set(before) : fromList(before, select, foreign);
  for (const entry of split(exclude?.value ?? '')) {
    if (chosen.has(entry)) chosen.delete(entry);
    else for (const name of expand(entry, exclude!.label, false)) chosen.delete(name);
  }
  const others = [...chosen].filter((name) => !isKnown(name)).sort();
  return [...KNOWN_TOOLS.filter((name) => chosen.has(name)), ...others];
}

function fromList(before: readonly string[], { value, label }: Placed<string>, foreign: boolean): Set<string> {
  const entries = split(value);
  const relative = entries.filter((entry) => /^[+-]/.test(entry));
  if (relative.length === 0) return new Set(entries.flatMap((entry) => expand(entry, label, foreign)));
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
    if (entry.startsWith('+')) chosen.add(expand(name, label, foreign)[0]!);
    else if (!chosen.delete(name)) expand(name, label, false);
  }
  return chosen;
}

function split(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function isKnown(name: string): boolean {
  return (KNOWN_TOOLS as readonly string[]).includes(name);
}

function expand(entry: string, label: string, foreign: boolean): string[] {
  if (entry === 'powershell') {
    throw new SandboxError('usage', `${label}: the image has no PowerShell, so the tool "powershell" cannot be used.`);
  }
  const pattern = new RegExp(`^${entry.split('*').map(literal).join('.*')}$`);
  const names = KNOWN_TOOLS.filter((name) => pattern.test(name));
  if (names.length > 0) return names;
  if (foreign && TOOL_NAME.test(entry)) return [entry];
  const guess = nearest(entry, KNOWN_TOOLS);
  throw new SandboxError('usage', `${label}: pi has no tool "${entry}".`, {
    hint:
      guess === undefined
        ? `The tools are ${KNOWN_TOOLS.join(', ')}; with --trust-project also those of its extensions.`
        : `Did you mean "${guess}"?`,
  });
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
