import { SandboxError } from '../errors.ts';
import { problemText, strictParse } from '../lib/strict-parse.ts';
import type { ContainerState } from './engine.ts';
import { StateAnswer } from './engine-answers.ts';

/** The state in what `inspect` answered. Throws SandboxError `engine` where there is none. */
export function stateIn(inspected: unknown): ContainerState {
  const parsed = strictParse(StateAnswer, inspected);
  if (!parsed.ok) {
    const problems = problemText(parsed.problems);
    throw new SandboxError('engine', `The engine describes a container in an unexpected way: ${problems}.`);
  }
  const { State } = parsed.value;
  return {
    running: State.Running,
    paused: State.Paused ?? false,
    pid: State.Pid,
    exitCode: State.ExitCode,
    oomKilled: State.OOMKilled,
    error: State.Error ?? '',
  };
}
