import { SandboxError } from '../errors.ts';
import { decide } from '../policy/decide.ts';
import { judgeCommand } from '../policy/judge-command.ts';
import type { Decision } from '../protocol/gate.ts';
import { GUEST } from '../protocol/guest.ts';
import { RunPlan } from '../protocol/plan.ts';
import { Policy } from '../protocol/policy.ts';
import { RunFolder } from '../transcript/run-folder.ts';
import { type CallOnRecord, callOnRecord } from './call-on-record.ts';

/** Why a call was allowed or not. */
export interface ExplainedCall {
  readonly call: CallOnRecord;
  /** Of the run, as it was at its start. */
  readonly policy: Policy;
  /**
   * What the policy says of the call when it is asked again, without what was known inside: where links led, and which
   * files there were. Absent where the arguments are not on record whole.
   */
  readonly again?: Decision;
}

/** @throws SandboxError `usage` for a call that is not there, `state` for files that cannot be read */
export async function explainCall(stateRoot: string, run: string, ref: string): Promise<ExplainedCall> {
  const folder = RunFolder.open(stateRoot, run);
  const call = await callOnRecord(folder.folder, ref);
  const policy = folder.readJson('policy.json', Policy);
  const plan = folder.readJson('plan.json', RunPlan);
  if (policy === undefined || plan === undefined) {
    throw new SandboxError('state', `Run ${run} has no policy on record, so nothing of it can be explained.`, {
      hint: 'It ended before it had one, or was made by an earlier version.',
    });
  }
  const { arguments: args, tool, gate } = call;
  if (args === undefined) return { call, policy };
  const nested = gate?.seen === 'claimed';
  const judged = { tool, arguments: args, workspace: plan.workspace.path, paths: [], nested, home: GUEST.home };
  return { call, policy, again: decide(policy, judged, judgeCommand) };
}
