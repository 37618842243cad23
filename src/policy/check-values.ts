import { SandboxError } from '../errors.ts';
import { BadPattern, linearRegExp } from '../lib/linear-regexp.ts';
import type { Problem } from '../lib/strict-parse.ts';
import { FILE_SETTINGS, valueAt } from './file-layer.ts';
import { badToolNames } from './mcp-servers.ts';
import { FORK_BOMB } from './shell/fork-bomb.ts';
import { KNOWN_TOOLS, misspeltTool, selectTools } from './tools.ts';

/** Rules of a file: where they stand, their lists of globs, and what says nothing about which calls they are for. */
const RULE_LISTS = ['/tools/rules', '/commands/rules', '/paths/rules'] as const;
const NO_CONDITION = new Set(['id', 'verdict', 'reason']);
/** Globs that are held against one name, in which there is no slash. */
const NAMES = /\/paths\/rules\/\d+\/except$|\/(names|programs|fedBy)$/;
const CONTROL = /\p{Cc}/u;

/** What the schema cannot say about a file: values that cannot be used, or that could never match. Takes any shape. */
export function misfits(file: unknown): Problem[] {
  return [
    ...settings(file),
    ...toolLists(file),
    ...mcpServers(file),
    ...RULE_LISTS.flatMap((pointer) => rules(file, pointer)),
    ...toolNames(file),
    ...patterns(file),
  ];
}

function settings(file: unknown): Problem[] {
  return FILE_SETTINGS.flatMap(({ from, convert, words }): Problem[] => {
    const value = valueAt(file, from);
    if (words === undefined || typeof value !== 'string' || convert(value as never) !== undefined) return [];
    return [{ path: from, message: `${JSON.stringify(value)} is not ${words}` }];
  });
}

function toolLists(file: unknown): Problem[] {
  return (['select', 'exclude'] as const).flatMap((key): Problem[] => {
    const [path, label] = [`/tools/${key}`, ''];
    const value = valueAt(file, path);
    if (typeof value !== 'string') return [];
    try {
      // Which MCP tools there are, all layers say together.
      const own = value.split(',').filter((entry) => !/^\s*[+-]?mcp__/.test(entry));
      const foreign = valueAt(file, '/projectFiles/trust') === true;
      selectTools(KNOWN_TOOLS, { [key]: { value: own.join(), origin: '', label } }, { foreign });
      return [];
    } catch (error) {
      if (!(error instanceof SandboxError)) throw error;
      return [{ path, message: [error.message.replace(/^: /, ''), error.hint].filter(Boolean).join(' ') }];
    }
  });
}

function mcpServers(file: unknown): Problem[] {
  const servers = valueAt(file, '/mcp/servers');
  if (typeof servers !== 'object' || servers === null) return [];
  return Object.entries(servers as Record<string, unknown>).flatMap(([name, server]): Problem[] => {
    const tools = valueAt(server, '/tools');
    if (!Array.isArray(tools) || !tools.every((tool) => typeof tool === 'string')) return [];
    const why = badToolNames(name, tools);
    return why === undefined ? [] : [{ path: `/mcp/servers/${name}/tools`, message: why }];
  });
}

function rules(file: unknown, pointer: string): Problem[] {
  return entries(valueAt(file, pointer)).flatMap(([index, rule]) => {
    const at = `${pointer}/${index}`;
    if (typeof rule !== 'object' || rule === null || Array.isArray(rule)) return [];
    const fields = Object.entries(rule as Record<string, unknown>);
    const problems = fields.flatMap(([key, value]) => fieldProblems(`${at}/${key}`, key, value));
    if (fields.every(([key]) => NO_CONDITION.has(key))) {
      problems.push({ path: at, message: 'the rule does not say which calls it is for' });
    }
    return problems;
  });
}

/** Tools of a trusted project's extensions may have any name. */
function toolNames(file: unknown): Problem[] {
  if (valueAt(file, '/projectFiles/trust') === true) return [];
  return entries(valueAt(file, '/tools/rules')).flatMap(([index, rule]) =>
    entries(valueAt(rule, '/tools')).flatMap(([at, name]): Problem[] => {
      const why = typeof name === 'string' ? misspeltTool(name) : undefined;
      return why === undefined ? [] : [{ path: `/tools/rules/${index}/tools/${at}`, message: why }];
    }),
  );
}

function fieldProblems(path: string, key: string, value: unknown): Problem[] {
  if (key === 'text') return patternProblems(path, value);
  if (key === 'reason') {
    return typeof value === 'string' && CONTROL.test(value.trimEnd())
      ? [{ path, message: 'a reason is one line of text' }]
      : [];
  }
  if (!Array.isArray(value) || key === 'access') return [];
  return value.flatMap((glob, index): Problem[] => {
    const why = typeof glob === 'string' ? (badGlob(glob, NAMES.test(path)) ?? badProgram(glob, key)) : undefined;
    return why === undefined ? [] : [{ path: `${path}/${index}`, message: why }];
  });
}

/** Why a glob does not do what it looks like. */
function badGlob(glob: string, isName: boolean): string | undefined {
  const bare = glob.replace(/\\./gsu, '');
  if (bare.endsWith('\\')) return 'a glob cannot end in a single \\';
  if (CONTROL.test(glob)) return 'a glob has no control characters';
  if (/[{}]/.test(bare)) {
    return `${JSON.stringify(glob)}: there is no {a,b} in these globs; give one for each, or put \\ before the brace`;
  }
  if (/\[(?![^\]]+\])/.test(bare))
    return `${JSON.stringify(glob)}: a [ without its ]; put \\ before one that is meant as it is`;
  if (bare.startsWith('!')) return `${JSON.stringify(glob)}: globs cannot be turned round by !`;
  if (isName && bare.includes('/')) return `${JSON.stringify(glob)} can never match: a name has no / in it`;
  return undefined;
}

/** A whole command where the name of a program stands. */
function badProgram(glob: string, key: string): string | undefined {
  const words = /^(\S+)\s+\S/.exec(glob);
  if (words === null || glob === FORK_BOMB || !(key === 'programs' || key === 'fedBy')) return undefined;
  return `${JSON.stringify(glob)} is no name of a program; give ${words[1]}, and the words after it as subcommand, options or operands`;
}

function patterns(file: unknown): Problem[] {
  return entries(valueAt(file, '/redaction/patterns')).flatMap(([index, entry]) =>
    patternProblems(`/redaction/patterns/${index}/pattern`, valueAt(entry, '/pattern')),
  );
}

function patternProblems(path: string, pattern: unknown): Problem[] {
  if (typeof pattern !== 'string') return [];
  try {
    linearRegExp(pattern);
    return [];
  } catch (error) {
    if (!(error instanceof BadPattern)) throw error;
    return [{ path, message: `the pattern cannot be used. ${error.message}` }];
  }
}

function entries(value: unknown): [number, unknown][] {
  return Array.isArray(value) ? [...value.entries()] : [];
}
