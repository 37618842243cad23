import { SandboxError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import type { Policy } from '../protocol/policy.ts';
import type { Layer, Placed, Setting } from './layer.ts';
import { MergedServers, toolsOf } from './mcp-servers.ts';
import { type OtherTools, selectTools } from './tools.ts';

/** Rules and patterns have one space of names. */
const RULE_LISTS = ['toolRules', 'commandRules', 'pathRules', 'patterns'] as const;
type Ruled = Placed<{ readonly id: string }>;

/** What is wrong with the layers together, one error each, or the policy that they make. */
export type Merged =
  | { readonly policy: Policy; readonly problems?: undefined }
  | { readonly problems: readonly SandboxError[]; readonly policy?: undefined };

/**
 * Layers, weakest first, to one policy. Single values and `models.allow` are replaced; rules, patterns and the lists of
 * included and excluded paths are added to; `off` takes rules of weaker layers away; tools are chosen upon what there was.
 */
export function mergeLayers(layers: readonly Layer[]): Merged {
  const problems: SandboxError[] = [];
  const origins: Record<string, string> = {};
  const values = mergeSettings(
    layers.flatMap(({ settings }) => settings),
    origins,
  );
  capBashTimeout(values, origins);
  const sections = values as Partial<Record<string, Record<string, unknown>>>;
  const servers = new MergedServers(layers);
  const others = { mcp: servers.tools, foreign: sections['projectFiles']?.['trust'] === true };
  const tools = mergeTools(layers, others, origins, problems);
  const mcp = servers.chosen(tools);
  Object.assign(origins, mcp.origins);
  problems.push(...servers.problems);
  const off = mergeIds(layers, origins, problems);
  if (problems.length > 0) return { problems };
  const kept = <T extends { readonly id: string }>(list: readonly Placed<T>[]): T[] =>
    list.map(({ value }) => value).filter(({ id }) => !off.has(id));
  const paths = (of: 'includes' | 'excludes', pointer: string): string[] =>
    layers
      .flatMap((layer) => layer[of])
      .map(({ value, origin }, index) => {
        origins[`${pointer}/${index}`] = origin;
        return value;
      });
  const policy = {
    v: 1,
    ...values,
    layers: layers.map(({ origin, sha256 }) => ({ origin, ...(sha256 === undefined ? {} : { sha256 }) })),
    mcp: { servers: mcp.servers },
    tools: { names: tools, rules: kept(layers.flatMap(({ toolRules }) => toolRules)) },
    commands: { ...sections['commands'], rules: kept(layers.flatMap(({ commandRules }) => commandRules)) },
    paths: { ...sections['paths'], rules: kept(layers.flatMap(({ pathRules }) => pathRules)) },
    workspace: {
      ...sections['workspace'],
      include: paths('includes', '/workspace/include'),
      exclude: paths('excludes', '/workspace/exclude'),
    },
    redaction: { ...sections['redaction'], patterns: kept(layers.flatMap(({ patterns }) => patterns)) },
    origins,
  };
  // The built-in layer has a value for each field that is not optional, and every layer was checked when it was made.
  return { policy: policy as unknown as Policy };
}

/** The last one of each pointer counts. */
function mergeSettings(settings: readonly Setting[], origins: Record<string, string>): Record<string, unknown> {
  const merged: Record<string, unknown> = {};
  for (const { pointer, value, origin } of settings) {
    origins[pointer] = origin;
    const keys = pointer.split('/').slice(1);
    const last = keys.pop()!;
    let section = merged;
    for (const key of keys) {
      section[key] ??= {};
      section = section[key] as Record<string, unknown>;
    }
    section[last] = value;
  }
  return merged;
}

/** Commands that name no time get no more than those that name one, and need not be changed one by one. */
function capBashTimeout(values: Record<string, unknown>, origins: Record<string, string>): void {
  const { limits, maxBashTimeoutSeconds } = values as {
    limits?: { bashTimeoutMs: number };
    maxBashTimeoutSeconds?: number;
  };
  if (limits === undefined || maxBashTimeoutSeconds === undefined) return;
  const cap = maxBashTimeoutSeconds * 1_000;
  if (limits.bashTimeoutMs <= cap) return;
  limits.bashTimeoutMs = cap;
  origins['/limits/bashTimeoutMs'] = origins['/maxBashTimeoutSeconds']!;
}

function mergeTools(
  layers: readonly Layer[],
  others: OtherTools,
  origins: Record<string, string>,
  problems: SandboxError[],
): string[] {
  let names: string[] = [];
  for (const { select, mcpServers, exclude } of layers) {
    const steps = [
      ...(select === undefined ? [] : [{ origin: select.origin, change: { select } }]),
      ...mcpServers.map(({ value, origin }) => ({ origin, change: { add: toolsOf(value) } })),
      ...(exclude === undefined ? [] : [{ origin: exclude.origin, change: { exclude } }]),
    ];
    for (const { origin, change } of steps) {
      const before = new Set(names);
      try {
        names = selectTools(names, change, others);
      } catch (error) {
        if (!(error instanceof SandboxError)) throw error;
        problems.push(error);
      }
      const after = new Set(names);
      for (const name of [...before, ...after]) {
        if (before.has(name) === after.has(name)) continue;
        // At the end, so that the origins of tools stand in the order of the layers.
        delete origins[`tool:${name}`];
        origins[`tool:${name}`] = origin;
      }
    }
  }
  return names;
}

/** Ids that are off. Every id is used once, over all layers and lists; `off` knows those of weaker layers. */
function mergeIds(layers: readonly Layer[], origins: Record<string, string>, problems: SandboxError[]): Set<string> {
  const known = new Map<string, Ruled>();
  const off = new Set<string>();
  for (const layer of layers) {
    for (const { value: id, origin, label } of layer.off) {
      if (!known.has(id)) problems.push(unknownRule(id, label, layer, [...known.keys()]));
      off.add(id);
      origins[`off:${id}`] = origin;
      delete origins[`rule:${id}`];
    }
    for (const rule of RULE_LISTS.flatMap((list): readonly Ruled[] => layer[list])) {
      const { id } = rule.value;
      const first = known.get(id);
      if (first !== undefined) problems.push(usedTwice(id, rule.label, first.origin));
      else {
        known.set(id, rule);
        origins[`rule:${id}`] = rule.origin;
      }
    }
  }
  return off;
}

function unknownRule(id: string, label: string, layer: Layer, known: readonly string[]): SandboxError {
  const own = RULE_LISTS.some((list) => layer[list].some(({ value }) => value.id === id));
  if (own) {
    return new SandboxError('policy', `${label}: the rule "${id}" stands in the same file.`, {
      hint: 'Remove the rule itself; "off" is for rules of weaker layers.',
    });
  }
  const guess = nearest(id, known);
  return new SandboxError('policy', `${label}: no weaker layer has a rule "${id}".`, {
    hint: guess === undefined ? 'pi-sandbox policy show lists the rules.' : `Did you mean "${guess}"?`,
  });
}

function usedTwice(id: string, label: string, first: string): SandboxError {
  return new SandboxError('policy', `${label}: there is a rule "${id}" already, ${where(first)}.`, {
    hint: 'Give it another id. To replace a rule of a weaker layer, switch that one "off" as well.',
  });
}

function where(origin: string): string {
  return origin.includes('/') ? `in ${origin}` : origin;
}
