import type { ProfileName, RunPlan } from '../protocol/plan.ts';

const WRITING_TOOLS = ['edit', 'write'];

/** Whether the agent is meant to change files. What else a profile is stands in its policy. */
export const PROFILE_WRITES: Readonly<Record<ProfileName, boolean>> = { edit: true, review: false, triage: false };

/** Whether a run is about changes, so that they are taken out at its end: what bash leaves in a copy made to look at is not. */
export function handsBack({ profile, workspace, pi }: Pick<RunPlan, 'profile' | 'workspace' | 'pi'>): boolean {
  const meansTo = PROFILE_WRITES[profile] || pi.tools.some((tool) => WRITING_TOOLS.includes(tool));
  return workspace.mode === 'copy' && meansTo;
}
