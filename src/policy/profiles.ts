import type { ProfileName } from '../protocol/plan.ts';
import type { PolicyFile } from '../protocol/policy.ts';
import { fileLayer } from './file-layer.ts';
import type { Layer } from './layer.ts';

/** What each profile gives the agent. The network is never part of it. */
export const PROFILE_POLICIES: Readonly<Record<ProfileName, PolicyFile>> = {
  edit: {
    version: 1,
    tools: { select: 'read,bash,edit,write,grep,find,ls' },
    projectFiles: { contextFiles: true },
  },
  review: {
    version: 1,
    tools: { select: 'read,bash,grep,find,ls' },
    projectFiles: { contextFiles: true },
  },
  triage: {
    version: 1,
    tools: { select: 'read,grep,find,ls' },
    projectFiles: { contextFiles: false },
  },
};

export function profileLayer(name: ProfileName): Layer {
  const origin = `profile ${name}`;
  return fileLayer(PROFILE_POLICIES[name], { origin, originOf: () => origin, labelOf: () => origin });
}
