import { Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { formatBytes, formatDuration, plural } from '../lib/format.ts';
import type { SandboxRecord } from '../protocol/record.ts';

const Started = Type.Object({
  profile: Type.String(),
  model: Type.String(),
  tools: Type.Array(Type.String()),
  workspace: Type.Object({ mode: Type.String(), root: Type.String() }),
  network: Type.Optional(Type.Object({ mode: Type.String(), allow: Type.Array(Type.String()) })),
  projectFiles: Type.Optional(Type.Object({ trusted: Type.Boolean() })),
});
/** Allowed hosts that are named. */
const MAX_HOSTS = 8;

const Imported = Type.Object({ files: Type.Number(), bytes: Type.Number(), ms: Type.Number() });

/** What is said about the beginning of a run; undefined for other records. */
export function startLine(record: SandboxRecord): string | undefined {
  if (record.type === 'run_started' && Check(Started, record)) {
    const { profile, model, tools, workspace, network, projectFiles } = record;
    const of = `${projectFiles?.trusted === true ? 'the trusted project ' : ''}${workspace.root}`;
    return `${record.run}: ${profile} on a ${workspace.mode} of ${of} with ${model}; tools: ${tools.join(', ')}${reachText(network)}`;
  }
  if (record.type === 'imported' && Check(Imported, record)) {
    return `copied in ${plural(record.files, 'file')}, ${formatBytes(record.bytes)}, in ${formatDuration(record.ms)}`;
  }
  return undefined;
}

/** What programs inside may reach, where it is anything at all. */
export function reachText(network: { readonly mode: string; readonly allow: readonly string[] } | undefined): string {
  if (network === undefined || network.mode === 'none') return '';
  const named = network.allow.slice(0, MAX_HOSTS);
  const more = network.allow.length - named.length;
  const list = [...named, ...(more > 0 ? [`${more} more`] : [])].join(', ');
  if (network.mode === 'open') return `; network: every public address${list === '' ? '' : `, ${list}`}`;
  return `; network: ${list === '' ? 'nothing' : list}${network.mode === 'learn' ? ', and what else is asked for is written down' : ''}`;
}
