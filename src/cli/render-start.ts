import { Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { formatBytes, formatDuration, plural } from '../lib/format.ts';
import type { SandboxRecord } from '../protocol/record.ts';

const Started = Type.Object({
  profile: Type.String(),
  model: Type.String(),
  tools: Type.Array(Type.String()),
  workspace: Type.Object({ mode: Type.String(), root: Type.String() }),
  projectFiles: Type.Optional(Type.Object({ trusted: Type.Boolean() })),
});
const Imported = Type.Object({ files: Type.Number(), bytes: Type.Number(), ms: Type.Number() });

/** What is said about the beginning of a run; undefined for other records. */
export function startLine(record: SandboxRecord): string | undefined {
  if (record.type === 'run_started' && Check(Started, record)) {
    const { profile, model, tools, workspace, projectFiles } = record;
    const of = `${projectFiles?.trusted === true ? 'the trusted project ' : ''}${workspace.root}`;
    return `${record.run}: ${profile} on a ${workspace.mode} of ${of} with ${model}; tools: ${tools.join(', ')}`;
  }
  if (record.type === 'imported' && Check(Imported, record)) {
    return `copied in ${plural(record.files, 'file')}, ${formatBytes(record.bytes)}, in ${formatDuration(record.ms)}`;
  }
  return undefined;
}
