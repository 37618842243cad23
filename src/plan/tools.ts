import { SandboxError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';

/** Tools of pi 1.6.0 that the image can run. Its eighth, `powershell`, has no interpreter there. */
export const KNOWN_TOOLS = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'] as const;

/**
 * The tools of a run: the profile's, changed by `--tools` and `--exclude-tools` in pi's own list syntax. pi ignores
 * names that it does not know, so that a typo in a deny list leaves the tool on; here they are refused.
 */
export function selectTools(profile: readonly string[], tools?: string, exclude?: string): string[] {
  const chosen = tools === undefined ? new Set(profile) : fromList(profile, tools);
  for (const entry of split(exclude ?? '')) {
    for (const name of expand(entry, '--exclude-tools')) chosen.delete(name);
  }
  return KNOWN_TOOLS.filter((name) => chosen.has(name));
}

function fromList(profile: readonly string[], list: string): Set<string> {
  const entries = split(list);
  const relative = entries.filter((entry) => /^[+-]/.test(entry));
  if (relative.length === 0) return new Set(entries.flatMap((entry) => expand(entry, '--tools')));
  if (relative.length !== entries.length) {
    throw new SandboxError('usage', '--tools: tool names cannot be mixed with +name or -name entries.', {
      hint: 'Write either the whole list (read,grep) or only changes to the profile (+grep,-write).',
    });
  }
  const chosen = new Set(profile);
  for (const entry of relative) {
    const name = entry.slice(1);
    if (name.includes('*')) {
      throw new SandboxError('usage', `--tools: +name and -name take exact tool names, not patterns: ${entry}.`);
    }
    const [known] = expand(name, '--tools');
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

function expand(entry: string, option: string): string[] {
  if (entry === 'powershell') {
    throw new SandboxError('usage', `${option}: the image has no PowerShell, so the tool "powershell" cannot be used.`);
  }
  const pattern = new RegExp(`^${entry.split('*').map(literal).join('.*')}$`);
  const names = KNOWN_TOOLS.filter((name) => pattern.test(name));
  if (names.length > 0) return names;
  const guess = nearest(entry, KNOWN_TOOLS);
  throw new SandboxError('usage', `${option}: pi has no tool "${entry}".`, {
    hint: guess === undefined ? `The tools are ${KNOWN_TOOLS.join(', ')}.` : `Did you mean "${guess}"?`,
  });
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
