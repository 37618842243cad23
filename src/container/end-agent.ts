import { setTimeout as delay } from 'node:timers/promises';
import { messageOf, SandboxError } from '../errors.ts';
import { DeadlineError, withDeadline } from '../lib/deadline.ts';
import type { ContainerState, Engine } from './engine.ts';
import { runExec } from './run-exec.ts';

/**
 * Time for rounds of killing and looking, and between two of them, milliseconds: where the processes of a container are
 * used up, a command of ours may not start at first, and what is left may kill it.
 */
const ALL_MS = 20_000;
const PAUSE_MS = 50;
/** For one command, its start included: the engine waits for as long as somebody stops it while it is being started. */
const COMMAND_MS = 8_000;
/** For a look at the container: while a command that is being started stands still, the engine answers nothing about it. */
const LOOK_MS = 2_000;
const MAX_BYTES = 1024;

/** Reaches every process of its own user at once, also ones that fork, and nobody else. */
const KILL = 'kill -KILL -1';

/**
 * Succeeds when no process has the user id $1 in two looks in a row, $2 tries at most. Whoever was killed may still be
 * in its last system call, so it waits. Only what the shell itself can do, but for the pause.
 */
const NONE_LEFT = `
empty=0
for ((try = 0; try < $2; try++)); do
  found=
  for file in /proc/[0-9]*/status; do
    while read -r line; do
      [[ $line == Uid:* ]] || continue
      [[ $line$'\\t' != *$'\\t'"$1"$'\\t'* ]] || found=yes
      break
    done 2>/dev/null <"$file"
  done
  if [[ -z $found ]]; then
    ((++empty == 2)) && exit 0
  else
    empty=0
    /bin/sleep 0.01
  fi
done
exit 1`;
const TRIES = '100';

export interface AgentProcesses {
  readonly engine: Engine;
  readonly container: string;
  readonly bridgeUid: number;
  readonly agentUid: number;
}

/**
 * Kills every process of pi's user and sees that none is left. The look is taken as the bridge's user: a process of pi's
 * could kill or rewrite a command that runs as its own user, and forge what it says. One that stops every command of ours
 * while it is being started is not got rid of this way: rejects with SandboxError `engine` after ALL_MS at the latest.
 */
export async function endAgent({ engine, container, bridgeUid, agentUid }: AgentProcesses): Promise<void> {
  const until = performance.now() + ALL_MS;
  const within = <T>(what: string, ms: number, work: Promise<T>): Promise<T> =>
    withDeadline(what, Math.max(0, Math.min(ms, until - performance.now())), work);
  const run = (uid: number, ...cmd: string[]) => {
    const ended = runExec(engine, container, { uid, cmd, maxBytes: MAX_BYTES, deadlineMs: COMMAND_MS });
    return within('a command of ours', COMMAND_MS, ended);
  };
  let problem: string;
  do {
    try {
      await run(agentUid, '/bin/bash', '-c', KILL);
      const { exitCode } = await run(bridgeUid, '/bin/bash', '-c', NONE_LEFT, 'look', String(agentUid), TRIES);
      if (exitCode === 0) return;
      problem = 'some are left';
    } catch (error) {
      problem = error instanceof DeadlineError ? 'a command of ours in the container is held up' : messageOf(error);
      const standing = whyStanding(await within('a look', LOOK_MS, engine.state(container)).catch(unanswered));
      if (standing !== undefined) throw failed(`: the container ${standing}`);
    }
    await delay(PAUSE_MS);
  } while (performance.now() < until);
  throw failed(` within ${ALL_MS / 1_000} s: ${problem.replace(/\.$/, '')}`);
}

/** No answer in time tells nothing about the container; any other failure does. */
function unanswered(error: unknown): 'unknown' {
  if (error instanceof DeadlineError) return 'unknown';
  throw error;
}

/** Where nothing can be started any more, another round is in vain. */
function whyStanding(state: ContainerState | 'unknown' | undefined): string | undefined {
  if (state === 'unknown') return undefined;
  if (state?.running !== true) return 'has ended';
  return state.paused ? 'stands still' : undefined;
}

function failed(how: string): SandboxError {
  return new SandboxError('engine', `The processes of the agent could not be ended${how}.`);
}
