import { decide } from '../policy/decide.ts';
import { protectedFiles } from '../policy/protected-files.ts';
import type { CommandJudge, Decision, JudgedCall } from '../protocol/gate.ts';
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

/** Until commands are taken apart: every command is what no rule names. */
const judgeCommand: CommandJudge = ({ default: verdict }) => ({
  matches: [
    {
      rule: 'commands.default',
      verdict,
      reason: `Commands that no rule names: ${verdict}.`,
      subject: 'commands',
      detail: 'no rule names it',
    },
  ],
  words: [],
});
