import { Document, isScalar, isSeq, visit } from 'yaml';
import { GiB, KiB, MiB } from '../lib/bytes.ts';
import { FILE_SETTINGS } from '../policy/file-layer.ts';
import type { Policy } from '../protocol/policy.ts';

/** The effective policy as YAML in the form of a policy file, with the origin of each value behind it. */
export function policyText(policy: Policy): string {
  const { layers, origins } = policy;
  const document = new Document(shown(policy), { aliasDuplicateObjects: false });
  for (const [pointer, origin] of originsShown(policy)) comment(document, pointer, origin);
  visit(document, {
    // One value a line, so that it can be searched: lists of plain values on one; in those that hold rules, each rule below the other.
    Seq: (_key, node) => {
      if (node.items.every((item) => isScalar(item))) node.flow = true;
    },
  });
  const files = layers.map(({ origin, sha256 }) =>
    sha256 === undefined ? origin : `${origin} (${sha256.slice(0, 12)})`,
  );
  document.commentBefore = ` Layers, weakest first: ${files.join('; ')}.`;
  const off = Object.keys(origins).filter((key) => key.startsWith('off:'));
  if (off.length > 0) {
    document.comment = ` Off: ${off.map((key) => `${key.slice('off:'.length)} (${origins[key]})`).join(', ')}.`;
  }
  return document.toString({ lineWidth: 0, flowCollectionPadding: false });
}

/** In the keys and units of a file. Absent limits are left to the plan. */
function shown(policy: Policy): unknown {
  const { limits, maxBashTimeoutSeconds: cap, workspace } = policy;
  return {
    version: 1,
    extends: policy.profile,
    tools: { select: policy.tools.names.join(','), rules: policy.tools.rules },
    ...(Object.keys(policy.mcp.servers).length === 0 ? {} : { mcp: policy.mcp }),
    commands: policy.commands,
    paths: policy.paths,
    ask: { timeout: duration(policy.ask.timeoutMs) },
    limits: {
      timeout: duration(limits.timeoutMs),
      idleTimeout: duration(limits.idleTimeoutMs),
      bashTimeout: duration(limits.bashTimeoutMs),
      ...(cap === undefined ? {} : { maxBashTimeout: duration(cap * 1_000) }),
      maxTurns: limits.maxTurns,
      maxTokens: limits.maxTokens,
      ...(limits.maxUsd === undefined ? {} : { maxUsd: limits.maxUsd }),
      ...(limits.memory === undefined ? {} : { memory: size(limits.memory) }),
      ...(limits.cpus === undefined ? {} : { cpus: limits.cpus }),
      pids: limits.pids,
      ...(limits.disk === undefined ? {} : { disk: size(limits.disk) }),
    },
    models: policy.models,
    workspace,
    redaction: policy.redaction,
    projectFiles: policy.projectFiles,
  };
}

/** What a file calls the values of the effective policy. */
const FILE_NAMES: ReadonlyMap<string, string> = new Map(FILE_SETTINGS.map(({ from, to }) => [to, from]));

function originsShown(policy: Policy): [pointer: string, origin: string][] {
  const { origins } = policy;
  const found: [string, string][] = [];
  const lists = new Map<string, Set<string>>();
  for (const [pointer, origin] of Object.entries(origins)) {
    if (!pointer.startsWith('/')) continue;
    const list = /^(.*)\/\d+$/.exec(pointer)?.[1];
    // What stands on one line has one comment.
    if (list === undefined) found.push([FILE_NAMES.get(pointer) ?? pointer, origin]);
    else lists.set(list, (lists.get(list) ?? new Set()).add(origin));
  }
  for (const [list, from] of lists) found.push([list, [...from].join('; ')]);
  const { tools, commands, paths, redaction } = policy;
  const ruled = [
    ['/tools/rules', tools.rules],
    ['/commands/rules', commands.rules],
    ['/paths/rules', paths.rules],
    ['/redaction/patterns', redaction.patterns],
  ] as const;
  for (const [pointer, rules] of ruled) {
    for (const [index, { id }] of rules.entries()) {
      found.push([`${pointer}/${index}/id`, origins[`rule:${id}`] ?? '']);
    }
  }
  found.push(['/tools/select', toolOrigins(policy)]);
  return found;
}

/** `profile edit; without bash: option --exclude-tools`. */
function toolOrigins({ tools, origins }: Policy): string {
  const groups = new Map<string, string[]>();
  for (const [key, origin] of Object.entries(origins)) {
    if (!key.startsWith('tool:')) continue;
    const name = key.slice('tool:'.length);
    groups.set(origin, [...(groups.get(origin) ?? []), tools.names.includes(name) ? `+${name}` : `-${name}`]);
  }
  const [first] = groups.keys();
  const only = groups.size === 1 && (groups.get(first!) ?? []).every((change) => change.startsWith('+'));
  if (only) return first!;
  return [...groups].map(([origin, changes]) => `${changes.join(' ')}: ${origin}`).join('; ');
}

function comment(document: Document, pointer: string, text: string): void {
  const keys = pointer.split('/').slice(1);
  const node: unknown = document.getIn(keys, true);
  if (isScalar(node) || isSeq(node)) node.comment = ` ${text}`;
}

function duration(ms: number): string {
  for (const [unit, length] of [
    ['h', 3_600_000],
    ['m', 60_000],
    ['s', 1_000],
  ] as const) {
    if (ms % length === 0) return `${ms / length}${unit}`;
  }
  return `${ms}ms`;
}

function size(bytes: number): string {
  for (const [unit, length] of [
    ['g', GiB],
    ['m', MiB],
    ['k', KiB],
  ] as const) {
    if (bytes % length === 0) return `${bytes / length}${unit}`;
  }
  return String(bytes);
}
