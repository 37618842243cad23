import { decide } from '../policy/decide.ts';
import { judgeCommand } from '../policy/judge-command.ts';
import { protectedFiles } from '../policy/protected-files.ts';
import type { Decision, JudgedCall } from '../protocol/gate.ts';
import { GUEST } from '../protocol/guest.ts';
import type { Policy } from '../protocol/policy.ts';
import type { Selection } from '../workspace/selection.ts';

/** What the policy of a run says of its calls, with what is known of the files that it started from. */
export function decisionsOf(policy: Policy, selection: Selection): (call: JudgedCall) => Decision {
  let files: readonly string[] | undefined;
  return (call) => {
    files ??= protectedFiles(policy.paths, filesOf(selection), { workspace: call.workspace, home: GUEST.home });
    return decide(policy, { ...call, home: GUEST.home, protectedFiles: files }, judgeCommand);
  };
}

function* filesOf({ entries }: Selection): Generator<string> {
  for (const { path, type } of entries) if (type !== 'dir') yield path.toString('utf8');
}
