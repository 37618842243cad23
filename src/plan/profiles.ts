import type { ProfileName, RunPlan, WorkspaceMode } from '../protocol/plan.ts';

export interface Profile {
  readonly tools: readonly string[];
  readonly workspace: WorkspaceMode;
  /** Whether AGENTS.md and CLAUDE.md of the repository reach the model. */
  readonly contextFiles: boolean;
  /** Whether the agent is meant to change files. */
  readonly writes: boolean;
}

const WRITING_TOOLS = ['edit', 'write'];

/** Whether a run is about changes, so that they are taken out at its end: what bash leaves in a copy made to look at is not. */
export function handsBack({ profile, workspace, pi }: Pick<RunPlan, 'profile' | 'workspace' | 'pi'>): boolean {
  const meansTo = PROFILES[profile].writes || pi.tools.some((tool) => WRITING_TOOLS.includes(tool));
  return workspace.mode === 'copy' && meansTo;
}

/** What each profile gives the agent. The network is never part of it. */
export const PROFILES: Readonly<Record<ProfileName, Profile>> = {
  edit: {
    tools: ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'],
    workspace: 'copy',
    contextFiles: true,
    writes: true,
  },
  review: { tools: ['read', 'bash', 'grep', 'find', 'ls'], workspace: 'copy', contextFiles: true, writes: false },
  triage: { tools: ['read', 'grep', 'find', 'ls'], workspace: 'copy', contextFiles: false, writes: false },
};
