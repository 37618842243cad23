import { SandboxError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import type { Placed } from './layer.ts';

/** Tools of pi 1.6.0 that the image can run. Its eighth, `powershell`, has no interpreter there. */
export const KNOWN_TOOLS = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'] as const;
/** Tools that reach others. No profile has them, and only their whole names choose them. */
export const REACHING_TOOLS = ['codemode', 'tool_search'] as const;
const OWN_TOOLS: readonly string[] = [...KNOWN_TOOLS, ...REACHING_TOOLS];

const MCP_PREFIX = 'mcp__';
/** Name of a tool that an extension may bring along. */
const TOOL_NAME = /^[A-Za-z0-9_-]{1,64}$/;

/**
 * Why a tool that a rule names is most likely misspelt: the rule would silently match nothing. Globs, tools of MCP servers and
 * names like no other may be meant.
 */
export function misspeltTool(name: string): string | undefined {
  const known = [...OWN_TOOLS, 'powershell'];
  if (known.includes(name) || !TOOL_NAME.test(name) || name.startsWith(MCP_PREFIX)) return undefined;
  const guess = nearest(name, known);
  return guess === undefined ? undefined : `pi has no tool "${name}"; did you mean "${guess}"?`;
}

/** Changes of one layer to the tools so far, in this order. */
export interface ToolChanges {
  readonly select?: Placed<string> | undefined;
  /** Names of MCP tools that it brings. */
  readonly add?: readonly string[] | undefined;
  readonly exclude?: Placed<string> | undefined;
}

/** Tools that are not pi's own. */
export interface OtherTools {
  /** Of MCP servers. */
  readonly mcp?: readonly string[];
  /** Whether other names are taken for tools of extensions; whether those have them shows when pi declares its tools. */
  readonly foreign?: boolean;
}

/**
 * The tools so far, changed by a selection and then an exclusion in pi's own list syntax. pi ignores names that it does not
 * know, so that a typo in a deny list leaves the tool on; here they are refused. Throws SandboxError.
 */
export function selectTools(
  before: readonly string[],
  { select, add = [], exclude }: ToolChanges,
  others: OtherTools = {},
): string[] {
  const lists = new ToolLists(others);
  const chosen = select === undefined ? new Set(before) : lists.select(before, select);
  for (const name of add) chosen.add(name);
  for (const entry of split(exclude?.value ?? '')) {
    if (!chosen.delete(entry)) for (const name of lists.excluded(entry, exclude!.label)) chosen.delete(name);
  }
  const foreign = [...chosen].filter((name) => !OWN_TOOLS.includes(name)).sort();
  return [...OWN_TOOLS.filter((name) => chosen.has(name)), ...foreign];
}

/** pi's list syntax upon the tools that there are. */
class ToolLists {
  readonly #mcp: readonly string[];
  readonly #foreign: boolean;

  constructor({ mcp = [], foreign = false }: OtherTools) {
    this.#mcp = mcp;
    this.#foreign = foreign;
  }

  select(before: readonly string[], { value, label }: Placed<string>): Set<string> {
    const entries = split(value);
    const relative = entries.filter((entry) => /^[+-]/.test(entry));
    if (relative.length === 0) return new Set(entries.flatMap((entry) => this.#meant(entry, label)));
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
      if (entry.startsWith('+')) chosen.add(this.#meant(name, label)[0]!);
      else if (!chosen.delete(name)) this.excluded(name, label);
    }
    return chosen;
  }

  excluded(entry: string, label: string): readonly string[] {
    const names = matching(entry, [...OWN_TOOLS, ...this.#mcp]);
    // Away with all of them, where there are none.
    const isMeant = entry.startsWith(MCP_PREFIX) && entry.includes('*');
    return names.length > 0 || isMeant ? names : this.#refuse(entry, label);
  }

  /** What reaches further is never meant by the way: as in pi, patterns for MCP tools begin like their names. */
  #meant(entry: string, label: string): readonly string[] {
    const pool = entry.startsWith(MCP_PREFIX) ? this.#mcp : entry.includes('*') ? KNOWN_TOOLS : OWN_TOOLS;
    const names = matching(entry, pool);
    if (names.length > 0) return names;
    return this.#foreign && entry !== 'powershell' && TOOL_NAME.test(entry) ? [entry] : this.#refuse(entry, label);
  }

  #refuse(entry: string, label: string): never {
    if (entry === 'powershell') {
      throw new SandboxError(
        'usage',
        `${label}: the image has no PowerShell, so the tool "powershell" cannot be used.`,
      );
    }
    const known = [...OWN_TOOLS, ...this.#mcp];
    const guess = nearest(entry, known);
    const without = entry.startsWith(MCP_PREFIX) ? 'no server under mcp.servers has the' : 'pi has no';
    throw new SandboxError('usage', `${label}: ${without} tool "${entry}".`, {
      hint:
        guess === undefined
          ? `The tools are ${known.join(', ')}; with --trust-project also those of its extensions.`
          : `Did you mean "${guess}"?`,
    });
  }
}

function matching(entry: string, pool: readonly string[]): readonly string[] {
  const pattern = new RegExp(`^${entry.split('*').map(literal).join('.*')}$`);
  return pool.filter((name) => pattern.test(name));
}

function split(list: string): string[] {
  return list
    .split(',')
    .map((entry) => entry.trim())
    .filter((entry) => entry !== '');
}

function literal(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
