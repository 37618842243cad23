import type { RunRequest } from '../request/run-request.ts';
import type { Layer, Placed, Setting } from './layer.ts';

/** Options that are single values: field of the request, place in the effective policy, name for the user. */
const OPTION_SETTINGS: readonly (readonly [keyof RunRequest, string, string])[] = [
  ['profile', '/profile', '--profile'],
  ['workspace', '/workspace/mode', '--workspace'],
  ['trustProject', '/projectFiles/trust', '--trust-project'],
  ['timeoutMs', '/limits/timeoutMs', '--timeout'],
  ['idleTimeoutMs', '/limits/idleTimeoutMs', '--idle-timeout'],
  ['bashTimeoutMs', '/limits/bashTimeoutMs', '--bash-timeout'],
  ['maxTurns', '/limits/maxTurns', '--max-turns'],
  ['maxTokens', '/limits/maxTokens', '--max-tokens'],
  ['maxUsd', '/limits/maxUsd', '--max-usd'],
  ['memory', '/limits/memory', '--memory'],
  ['cpus', '/limits/cpus', '--cpus'],
  ['pids', '/limits/pids', '--pids'],
  ['disk', '/limits/disk', '--disk'],
];

/** The strongest layer: what the request itself says. */
export function optionLayer(request: Partial<RunRequest>): Layer {
  const placed = <T>(name: string, value: T): Placed<T> => ({ value, origin: `option ${name}`, label: name });
  const settings = OPTION_SETTINGS.flatMap(([field, pointer, name]): Setting[] => {
    const value = request[field];
    return value === undefined ? [] : [{ pointer, ...placed(name, value) }];
  });
  const { tools, excludeTools, include = [], exclude = [] } = request;
  return {
    origin: 'options',
    settings,
    ...(tools === undefined ? {} : { select: placed('--tools', tools) }),
    ...(excludeTools === undefined ? {} : { exclude: placed('--exclude-tools', excludeTools) }),
    mcpServers: [],
    toolRules: [],
    commandRules: [],
    pathRules: [],
    patterns: [],
    includes: include.map((glob) => placed('--include', glob)),
    excludes: exclude.map((glob) => placed('--exclude', glob)),
    off: [],
  };
}
