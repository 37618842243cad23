import { parseSize } from '../lib/bytes.ts';
import { parseDuration } from '../lib/duration.ts';
import type { Origin, PolicyFile } from '../protocol/policy.ts';
import type { Layer, Placed, Setting } from './layer.ts';

/** How the places of a file are named, by JSON pointer. */
export interface Places {
  /** The layer as a whole. */
  readonly origin: Origin;
  readonly sha256?: string;
  originOf(pointer: string): Origin;
  labelOf(pointer: string): string;
}

/** Longest time that a timer can wait, milliseconds. */
const MAX_TIMER_MS = 2_147_483_000;

export const DURATION_WORDS = 'a duration such as 90s, 10m or 1h, up to 24 days';
export const SIZE_WORDS = 'a size such as 512m or 2g';

/** Milliseconds of a duration that a timer can wait, else undefined. */
export function timerMs(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms === undefined || ms > MAX_TIMER_MS ? undefined : ms;
}

type Convert = (value: never) => Setting['value'] | undefined;
const asIs: Convert = (value) => value;
const seconds: Convert = (text) => {
  const ms = timerMs(text);
  return ms === undefined ? undefined : Math.ceil(ms / 1_000);
};

/** Single values: where they stand in a file, where in the effective policy, and how to get from one to the other. */
export const FILE_SETTINGS: readonly { from: string; to: string; convert: Convert; words?: string }[] = [
  { from: '/extends', to: '/profile', convert: asIs },
  { from: '/commands/default', to: '/commands/default', convert: asIs },
  { from: '/commands/unclear', to: '/commands/unclear', convert: asIs },
  { from: '/paths/inside/read', to: '/paths/inside/read', convert: asIs },
  { from: '/paths/inside/write', to: '/paths/inside/write', convert: asIs },
  { from: '/paths/outside/read', to: '/paths/outside/read', convert: asIs },
  { from: '/paths/outside/write', to: '/paths/outside/write', convert: asIs },
  { from: '/ask/timeout', to: '/ask/timeoutMs', convert: timerMs, words: DURATION_WORDS },
  { from: '/limits/timeout', to: '/limits/timeoutMs', convert: timerMs, words: DURATION_WORDS },
  { from: '/limits/idleTimeout', to: '/limits/idleTimeoutMs', convert: timerMs, words: DURATION_WORDS },
  { from: '/limits/bashTimeout', to: '/limits/bashTimeoutMs', convert: timerMs, words: DURATION_WORDS },
  { from: '/limits/maxBashTimeout', to: '/maxBashTimeoutSeconds', convert: seconds, words: DURATION_WORDS },
  { from: '/limits/maxTurns', to: '/limits/maxTurns', convert: asIs },
  { from: '/limits/maxTokens', to: '/limits/maxTokens', convert: asIs },
  { from: '/limits/maxUsd', to: '/limits/maxUsd', convert: asIs },
  { from: '/limits/memory', to: '/limits/memory', convert: parseSize, words: SIZE_WORDS },
  { from: '/limits/cpus', to: '/limits/cpus', convert: asIs },
  { from: '/limits/pids', to: '/limits/pids', convert: asIs },
  { from: '/limits/disk', to: '/limits/disk', convert: parseSize, words: SIZE_WORDS },
  { from: '/models/allow', to: '/models/allow', convert: asIs },
  { from: '/workspace/mode', to: '/workspace/mode', convert: asIs },
  { from: '/redaction/known', to: '/redaction/known', convert: asIs },
  { from: '/redaction/ownSecrets', to: '/redaction/ownSecrets', convert: asIs },
  { from: '/projectFiles/contextFiles', to: '/projectFiles/contextFiles', convert: asIs },
  { from: '/projectFiles/maxContextFileBytes', to: '/projectFiles/maxContextFileBytes', convert: asIs },
  { from: '/projectFiles/trust', to: '/projectFiles/trust', convert: asIs },
];

/** A checked file as a layer. */
export function fileLayer(file: PolicyFile, places: Places): Layer {
  const placed = <T>(pointer: string, value: T): Placed<T> => ({
    value,
    origin: places.originOf(pointer),
    label: places.labelOf(pointer),
  });
  const list = <T>(pointer: string, values: readonly T[] | undefined): Placed<T>[] =>
    (values ?? []).map((value, index) => placed(`${pointer}/${index}`, value));
  const settings = FILE_SETTINGS.flatMap(({ from, to, convert }): Setting[] => {
    const given = valueAt(file, from);
    const value = given === undefined ? undefined : convert(given as never);
    return value === undefined ? [] : [{ pointer: to, ...placed(from, value) }];
  });
  const { tools, workspace } = file;
  return {
    origin: places.origin,
    ...(places.sha256 === undefined ? {} : { sha256: places.sha256 }),
    settings,
    ...(tools?.select === undefined ? {} : { select: placed('/tools/select', tools.select) }),
    ...(tools?.exclude === undefined ? {} : { exclude: placed('/tools/exclude', tools.exclude) }),
    mcpServers: Object.entries(file.mcp?.servers ?? {}).map(([name, server]) =>
      placed(`/mcp/servers/${name}`, { ...server, name }),
    ),
    toolRules: list('/tools/rules', tools?.rules),
    commandRules: list('/commands/rules', file.commands?.rules),
    pathRules: list('/paths/rules', file.paths?.rules),
    patterns: list('/redaction/patterns', file.redaction?.patterns),
    includes: list('/workspace/include', workspace?.include),
    excludes: list('/workspace/exclude', workspace?.exclude),
    off: list('/off', file.off),
  };
}

/** What stands at a JSON pointer of plain keys. */
export function valueAt(value: unknown, pointer: string): unknown {
  let at = value;
  for (const key of pointer.split('/').slice(1)) {
    if (typeof at !== 'object' || at === null || !Object.hasOwn(at, key)) return undefined;
    at = (at as Record<string, unknown>)[key];
  }
  return at;
}
