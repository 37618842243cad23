import type { ProfileName, WorkspaceMode } from '../protocol/plan.ts';

export interface Profile {
  readonly tools: readonly string[];
  readonly workspace: WorkspaceMode;
  /** Whether AGENTS.md and CLAUDE.md of the repository reach the model. */
  readonly contextFiles: boolean;
  /** Whether the agent is meant to change files. */
  readonly writes: boolean;
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
