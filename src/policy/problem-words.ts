import type { Problem } from '../lib/strict-parse.ts';
import { FILE_SETTINGS, valueAt } from './file-layer.ts';

/** Words that YAML 1.1 took for true and false, and that are text today. */
const OLD_BOOLEANS: Readonly<Record<string, boolean>> = { yes: true, on: true, no: false, off: false };

/** A problem that the schema found in a file, in the words of who writes such files. */
export function withWords(problem: Problem, file: unknown): Problem {
  const value = valueAt(file, problem.path);
  const message = nameWords(problem, value) ?? typeWords(problem, value);
  return message === undefined ? problem : { ...problem, message };
}

function nameWords({ path, message }: Problem, value: unknown): string | undefined {
  if (path.endsWith('/id') && typeof value === 'string') {
    return `${JSON.stringify(value)} is no id: small letters, digits and -, 64 at most`;
  }
  const server = /^\/mcp\/servers\/([^/]+)$/.exec(path)?.[1];
  if (server !== undefined && message === 'unexpected property') {
    return `${JSON.stringify(server)} is no name of a server: small letters, digits and -, 32 at most`;
  }
  if (/^\/mcp\/servers\/[^/]+\/tools\/\d+$/.test(path) && typeof value === 'string') {
    return `${JSON.stringify(value)} is no tool of a server: letters, digits, ., /, _ and -, 64 at most`;
  }
  return undefined;
}

function typeWords({ path, message }: Problem, value: unknown): string | undefined {
  if (value === null && /^expected (array|object|string)$/.test(message)) {
    return 'nothing is written there; give it a value, or leave the key out';
  }
  switch (message) {
    case 'expected boolean': {
      const meant = typeof value === 'string' ? OLD_BOOLEANS[value.toLowerCase()] : undefined;
      return meant === undefined ? undefined : `"${String(value)}" is text here; write ${meant}`;
    }
    case 'expected array':
      return typeof value === 'string' ? `a list is expected: write [${JSON.stringify(value)}]` : undefined;
    case 'expected array length to be greater or equal to 1':
      return 'an empty list matches nothing; leave the key out';
    case 'expected string':
      return textWords(path, value);
    default:
      return undefined;
  }
}

function textWords(path: string, value: unknown): string | undefined {
  const setting = FILE_SETTINGS.find(({ from }) => from === path);
  if (setting?.words !== undefined && typeof value === 'number') return `${value} is not ${setting.words}`;
  if (!Array.isArray(value) || !/^\/tools\/(select|exclude)$/.test(path)) return undefined;
  return 'names are one text here, with commas between: write read,grep';
}
