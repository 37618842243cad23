import type { ErrorCode } from '../errors.ts';
import type { Outcome } from '../protocol/outcome.ts';
import { EXIT, type GatewayFailure, type RunFacts, type StopKind } from './run-facts.ts';

/** When nobody noted the order: a fault of ours hides nothing, a person's wish explains what follows from it. */
const DEFAULT_ORDER: readonly StopKind[] = ['failure', 'signal', 'limit', 'gateway'];
/** Faults that the user's input caused. They only count as such while nothing was started. */
const INPUT_ERRORS: ReadonlySet<ErrorCode> = new Set(['usage', 'scenario', 'repository', 'model']);

/**
 * How a run ended, from observed facts only. The first stop wins; without one the run is `completed` exactly if the last
 * answer of the gateway ended with `stop`, pi left with 0, its stream was whole, and its changes could be taken out.
 */
export function decideOutcome(facts: RunFacts): Outcome {
  for (const kind of [...(facts.order ?? []), ...DEFAULT_ORDER]) {
    const outcome = stoppedBy(kind, facts);
    if (outcome !== undefined) return outcome;
  }
  return notStarted(facts) ?? crashed(facts) ?? unfinished(facts) ?? withoutChanges(facts) ?? completed();
}

function stoppedBy(kind: StopKind, facts: RunFacts): Outcome | undefined {
  switch (kind) {
    case 'failure':
      // A process that was killed for memory breaks its stream, which is noticed first.
      if (facts.failure?.code === 'wire' && ranOutOfMemory(facts)) return OUT_OF_MEMORY;
      return facts.failure && failed(facts.failure.message, inputExitCode(facts.failure.code, facts));
    case 'signal':
      return facts.signal && interrupted(facts.signal);
    case 'limit':
      return facts.limit && limited(facts.limit.name, facts.limit.message);
    case 'gateway':
      return facts.gateway.failure && gatewayStopped(facts.gateway.failure, facts);
  }
}

function gatewayStopped(failure: GatewayFailure, facts: RunFacts): Outcome {
  switch (failure.kind) {
    case 'limit':
      return limited(failure.limit ?? 'gateway', failure.message);
    case 'scenario':
      return agentFailed(`The scripted model could not go on: ${failure.message}`);
    case 'internal':
      return failed(failure.message, EXIT.sandboxFailed);
    case 'model':
      return agentFailed(`The model cannot be used: ${failure.message}`);
    case 'bypass':
    case 'secret':
      return { outcome: 'policy_stopped', exitCode: EXIT.stopped, reason: sentence(failure.message) };
    case 'tools':
      // Until the first answer nothing untrusted could run, so tools that differ from the plan are our own mistake.
      return facts.gateway.lastStopReason === undefined
        ? failed(failure.message, EXIT.sandboxFailed)
        : { outcome: 'policy_stopped', exitCode: EXIT.stopped, reason: sentence(failure.message) };
  }
}

/** pi with a broken guard can leave with 0 and without a word, so "exit 0" alone means nothing. */
function notStarted({ piExit, promptAccepted, gateway }: RunFacts): Outcome | undefined {
  if (piExit === undefined) return failed('The end of pi was not observed', EXIT.sandboxFailed);
  if (ranOutOfMemory({ piExit })) return OUT_OF_MEMORY;
  if (promptAccepted || gateway.requests > 0) return undefined;
  return failed(`pi left with ${exitText(piExit.code)} before it took the prompt`, EXIT.sandboxFailed);
}

function ranOutOfMemory({ piExit }: Pick<RunFacts, 'piExit'>): boolean {
  return piExit?.oom === true && piExit.code !== 0;
}

function crashed({ piExit }: RunFacts): Outcome | undefined {
  if (piExit?.code === 0) return undefined;
  return agentFailed(`pi ended unexpectedly with ${exitText(piExit?.code)}`);
}

function unfinished({ gateway, settled, damaged }: RunFacts): Outcome | undefined {
  const detail = gateway.lastError === undefined ? '' : `: ${gateway.lastError}`;
  switch (gateway.lastStopReason) {
    case 'stop':
      if (!settled)
        return agentFailed("pi's event stream ended before its last event, so the transcript is incomplete");
      if (damaged.torn > 0)
        return agentFailed("pi's event stream ended inside a line, so the transcript is incomplete");
      return undefined;
    case undefined:
      return agentFailed(
        gateway.requests === 0 ? 'pi ended without asking the model' : `The model gave no answer${detail}`,
      );
    case 'error':
      return agentFailed(`The last call of the model failed${detail}`);
    case 'length':
      return agentFailed("The model's last answer was cut off at its limit of output tokens");
    case 'toolUse':
      return agentFailed('pi ended although the last answer of the model asked for tools');
    case 'aborted':
      return agentFailed('The last call of the model was aborted');
    default:
      return agentFailed(`The last answer of the model ended with "${gateway.lastStopReason}"${detail}`);
  }
}

/** A run that completed and hands nothing back would be taken for one that changed nothing. */
function withoutChanges({ changesLost }: RunFacts): Outcome | undefined {
  if (changesLost === undefined) return undefined;
  return failed(`The changes could not be taken out: ${changesLost}`, EXIT.sandboxFailed);
}

const OUT_OF_MEMORY = limited(
  'memory',
  'pi was killed because the container ran out of memory; raise it with --memory',
);

function completed(): Outcome {
  return { outcome: 'completed', exitCode: EXIT.completed, reason: 'The model ended its answer and pi left in order.' };
}

function agentFailed(reason: string): Outcome {
  return { outcome: 'agent_failed', exitCode: EXIT.agentFailed, reason: sentence(reason) };
}

function failed(reason: string, exitCode: number): Outcome {
  return { outcome: 'sandbox_failed', exitCode, reason: sentence(reason) };
}

function limited(limit: string, reason: string): Outcome {
  return { outcome: 'limit_reached', exitCode: EXIT.stopped, reason: sentence(reason), limit };
}

function interrupted(signal: NonNullable<RunFacts['signal']>): Outcome {
  const exitCode = signal === 'SIGINT' ? EXIT.SIGINT : EXIT.SIGTERM;
  const reason = {
    SIGINT: 'Interrupted from the terminal.',
    SIGTERM: 'Ended by SIGTERM.',
    SIGPIPE: 'Ended because the reader of the output went away.',
    stop: 'Ended by the stop command.',
  }[signal];
  return { outcome: 'interrupted', exitCode, reason };
}

function inputExitCode(code: ErrorCode, facts: RunFacts): number {
  const started = facts.promptAccepted || facts.piExit !== undefined || facts.gateway.requests > 0;
  return INPUT_ERRORS.has(code) && !started ? EXIT.refused : EXIT.sandboxFailed;
}

function exitText(code: number | null | undefined): string {
  if (code === undefined || code === null) return 'an unknown exit code';
  return code > 128 ? `exit code ${code} (signal ${code - 128})` : `exit code ${code}`;
}

function sentence(text: string): string {
  return /[.!?]$/.test(text) ? text : `${text}.`;
}
