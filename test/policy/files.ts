import type { Layer } from '../../src/policy/layer.ts';
import { type ParsedFile, parsePolicyFile } from '../../src/policy/parse-file.ts';

/** A policy file of this text, at `/etc/team.yaml` unless named otherwise. */
export function parsed(text: string | Buffer, path = '/etc/team.yaml'): ParsedFile {
  const shown = path.slice(path.lastIndexOf('/') + 1);
  return parsePolicyFile(Buffer.from(text), { path, shown });
}

/** Throws what is wrong with it. */
export function layerOf(text: string, path?: string): Layer {
  const { layer, problems } = parsed(text, path);
  if (layer === undefined) throw problems[0];
  return layer;
}

/** Each problem as `LINE:COLUMN message hint`. */
export function problemsOf(text: string | Buffer): string[] {
  return (parsed(text).problems ?? []).map(({ message, hint }) =>
    [message.replace(/^team\.yaml:/, ''), hint].filter(Boolean).join(' '),
  );
}
