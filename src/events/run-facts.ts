import type { ErrorCode } from '../errors.ts';
import type { ExitCode } from '../protocol/outcome.ts';

/** What can end a run before pi does. */
export type StopKind = 'failure' | 'signal' | 'limit' | 'gateway';

/** Why the gateway stopped serving this run. */
export interface GatewayFailure {
  /**
   * `limit`: a cap of the gateway; `scenario`: the scripted model has no answer; `tools`: pi declared other tools than
   * planned; `bypass`: a tool call ran past the gate; `secret`: a secret of the user was in a request, and
   * the policy forbids that; `model`: the provider refuses the credentials or the model; `internal`: a fault of ours.
   */
  readonly kind: 'limit' | 'scenario' | 'tools' | 'bypass' | 'secret' | 'model' | 'internal';
  /** Plan name of the cap. */
  readonly limit?: string;
  readonly message: string;
}

/**
 * What the host observed about a run. Nothing in it is the content of anything that pi said. `promptAccepted`, `settled`
 * and `damaged` say how pi's stream looked from outside: they can make an outcome worse, never better.
 */
export interface RunFacts {
  /** `stop` is the stop command, `SIGPIPE` a reader of our output that went away. */
  readonly signal?: 'SIGINT' | 'SIGTERM' | 'SIGPIPE' | 'stop';
  /** A fault of the sandbox, the engine or ours. */
  readonly failure?: { readonly code: ErrorCode; readonly message: string };
  /** A limit that the host enforces, by its plan name: wall time, idle time, stream bytes, memory. */
  readonly limit?: { readonly name: string; readonly message: string };
  readonly gateway: {
    /** Model calls that were let through. */
    readonly requests: number;
    /** Of the last answer that the gateway gave. */
    readonly lastStopReason?: string;
    readonly lastError?: string;
    readonly failure?: GatewayFailure;
  };
  /** As the engine reports it; absent when the end of pi was not seen. */
  readonly piExit?: { readonly code?: number | null; readonly oom?: boolean };
  /** pi answered that it took the prompt. */
  readonly promptAccepted: boolean;
  /** pi's stream announced its end. */
  readonly settled: boolean;
  /** Damaged parts of pi's stream; `torn` means that it ended inside a line. */
  readonly damaged: { readonly torn: number };
  /** Why there may be changes of the agent that could not be taken out, if so. */
  readonly changesLost?: string;
  /** Which of several stops came first, second, ...; the first one names the outcome. */
  readonly order?: readonly StopKind[];
}

/** Exit codes by outcome; 3 and 6 are decided by reports and by apply. */
export const EXIT = {
  completed: 0,
  agentFailed: 1,
  refused: 2,
  stopped: 4,
  sandboxFailed: 5,
  SIGINT: 130,
  SIGTERM: 143,
} as const satisfies Record<string, ExitCode>;
