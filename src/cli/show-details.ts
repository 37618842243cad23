import { clip } from '../lib/bounded-text.ts';
import { formatAge, formatBytes, formatCount, formatDuration, formatUsd, plural } from '../lib/format.ts';
import type { ChangeState } from '../protocol/change-state.ts';
import type { HandBack } from '../protocol/hand-back.ts';
import type { RunPlan } from '../protocol/plan.ts';
import type { PostureFile } from '../protocol/posture.ts';
import type { LedgerSums, RunDetails } from '../protocol/run-details.ts';
import { BOUNDARY } from './boundary.ts';
import { gateTexts, refusedTexts } from './gate-details.ts';
import { networkTexts } from './network-details.ts';
import { changesText } from './render-changes.ts';

const PROMPT_CHARS = 200;
const LABEL_COLUMNS = 12;
/** Files of the run folder that are named. */
const MAX_FILES = 20;
/** Of the digest of a change set; --json has it whole. */
const DIGEST_CHARS = 12;

/** A run in words, one fact a line. Untrusted text: sanitise before it is shown. */
export function detailLines(details: RunDetails, now: Date): string[] {
  const { run, time, plan, prompt, posture, ledger, outcome, engine, damaged } = details;
  return [
    ...row('Run', `${run} (${formatAge(now.getTime() - Date.parse(time))} ago)`),
    ...row('State', outcome ? `${outcome.outcome.replaceAll('_', ' ')}: ${outcome.reason}` : stateText(details)),
    ...row(
      'Exit code',
      outcome && `${outcome.exitCode}${outcome.limit === undefined ? '' : ` (limit: ${outcome.limit})`}`,
    ),
    ...row('Prompt', prompt && clip(prompt.trim().replaceAll(/\s+/g, ' '), PROMPT_CHARS)),
    ...(plan ? planLines(plan) : []),
    ...row('Left out', details.leftOut && leftOutText(details.leftOut)),
    ...row('Engine', engine && `${engine.version} (API ${engine.api}) at ${engine.endpoint}`),
    ...(posture ? postureLines(posture) : row('Isolation', 'not on record: the container was not looked at')),
    ...row('Boundary', BOUNDARY),
    ...row('Changes', details.changes && handBackText(details.changes)),
    ...row('', details.changesState && becameText(details.changesState)),
    ...row('Model calls', ledger && ledgerText(ledger, plan?.limits.gateway)),
    ...(details.gate
      ? refusedTexts(details.gate).flatMap((text, at) => row(at === 0 ? 'Failed calls' : '', text))
      : []),
    ...networkTexts(plan?.network, ledger?.egress).flatMap((text, at) => row(at === 0 ? 'Network' : '', text)),
    ...(details.gate ? gateTexts(details.gate).flatMap((text, at) => row(at === 0 ? 'Gate' : '', text)) : []),
    ...(plan?.notices ?? []).flatMap((notice) => row('Notice', notice)),
    ...damaged.flatMap((message) => row('Damaged', message)),
    ...fileLines(details),
  ];
}

function row(label: string, text: string | undefined): string[] {
  return text === undefined ? [] : [`${label.padEnd(LABEL_COLUMNS)} ${text}`];
}

function stateText({ state, run }: RunDetails): string {
  if (state === 'running') return `running; pi-sandbox logs -f ${run} follows it`;
  return 'lost: its controller is gone and left no outcome';
}

function planLines({ profile, model, workspace, container, pi, limits, acceptWeaker }: RunPlan): string[] {
  const { mode, files, bytes, root } = workspace;
  const how = mode === 'copy' ? 'a private copy' : 'mounted read-only';
  const { memory, cpus, pids, image, runtime } = container;
  return [
    ...row('Repository', root),
    ...row('Workspace', `${how}, ${plural(files, 'file')}, ${formatBytes(bytes)}`),
    ...row('Project', workspace.trusted ? 'trusted: its .pi and .agents took effect inside' : 'not trusted'),
    ...row('Profile', `${profile}; tools: ${[...pi.tools, ...(pi.reachable ?? [])].join(' ')}`),
    ...row('Model', `${model.spec} (${model.provider}/${model.id})`),
    ...row('Image', `${image}${runtime === undefined ? '' : `, runtime ${runtime}`}`),
    ...row(
      'Limits',
      `${formatDuration(limits.wallMs)}, ${formatBytes(memory)} memory, ${cpus} cpus, ${pids} processes`,
    ),
    ...row('Accepted', acceptWeaker.length === 0 ? undefined : `weaker than planned: ${acceptWeaker.join(', ')}`),
  ];
}

function leftOutText(counts: Readonly<Record<string, number>>): string {
  const reasons = Object.entries(counts).map(([reason, count]) => `${count} ${reason.replaceAll('-', ' ')}`);
  return reasons.length === 0 ? 'nothing' : reasons.join(', ');
}

function postureLines({ evidence, findings, accepted, notes }: PostureFile): string[] {
  const how =
    evidence === 'host'
      ? 'read back from the engine and from the processes as the host sees them'
      : 'read back from the engine and, from inside, of the processes before anything untrusted entered';
  const verdict =
    findings.length === 0 ? 'the container is what the plan asked for' : 'NOT as planned, so it was not used';
  return [
    ...row('Isolation', `${verdict}${accepted.length === 0 ? '' : ', apart from what was accepted'}; ${how}`),
    ...findings.flatMap((finding) => row('', findingText('differs', finding))),
    ...accepted.flatMap((finding) => row('', findingText('accepted', finding))),
    ...notes.flatMap((note) => row('', note)),
  ];
}

function handBackText(handBack: HandBack): string {
  const { outcome, reasons, counts, risky, digest } = handBack;
  const kinds = Object.entries(counts).map(([kind, count]) => `${count} ${kind}`);
  const details = [...kinds, ...(risky === 0 ? [] : [`${risky} of them risky`])];
  const parts = [`${changesText(handBack)}${details.length === 0 ? '' : ` (${details.join(', ')})`}`, ...reasons];
  if (outcome !== 'failed') parts.push(`digest ${digest?.slice(0, DIGEST_CHARS)}`);
  return parts.join('; ');
}

function becameText({ state, time, target, branch, changes, of }: ChangeState): string {
  if (state === 'discarded') return `discarded at ${time}`;
  const where = branch === undefined ? `to ${target}` : `onto the branch ${branch} of ${target}`;
  return `applied ${where} at ${time}${changes === of ? '' : ` (${changes} of ${of})`}`;
}

function findingText(what: string, finding: PostureFile['findings'][number]): string {
  return `${what}: ${finding.field} (${finding.seen}): planned ${finding.expected}, found ${finding.actual}`;
}

function ledgerText(
  { requests, unsettled, refused, usage, costUsd, estimated, damaged }: LedgerSums,
  limits: RunPlan['limits']['gateway'] | undefined,
): string {
  const { input, output, cacheRead, cacheWrite } = usage;
  const cache =
    cacheRead + cacheWrite > 0 ? `, cache ${formatCount(cacheRead)} read, ${formatCount(cacheWrite)} written` : '';
  return [
    `${requests}${of(limits?.requests, String)}, ${formatCount(input)} tokens in, ${formatCount(output)}${of(limits?.outputTokens, formatCount)} out${cache}`,
    `${formatUsd(costUsd)}${of(limits?.costUsd, formatUsd)}${estimated ? ' (partly estimated)' : ''}`,
    ...(unsettled > 0 ? [`${unsettled} without a recorded end`] : []),
    ...(refused > 0 ? [`${refused} refused`] : []),
    ...(damaged > 0 ? [`${plural(damaged, 'damaged line')} in the ledger`] : []),
  ].join('; ');
}

function of(limit: number | undefined, format: (limit: number) => string): string {
  return limit === undefined ? '' : ` of ${format(limit)}`;
}

function fileLines({ folder, files }: RunDetails): string[] {
  const named = files.slice(0, MAX_FILES).map(({ name, bytes }) => row('', `${name}  ${formatBytes(bytes)}`));
  const more = files.length > MAX_FILES ? row('', `and ${files.length - MAX_FILES} more`) : [];
  return [...row('Files', folder), ...named.flat(), ...more];
}
