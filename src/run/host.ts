import type { Engine } from '../container/engine.ts';
import type { GatewayDelta } from '../gateway/gateway.ts';
import type { ImageFactsForPlan } from '../plan/make-plan.ts';
import type { AskGate } from '../protocol/gate.ts';
import type { SandboxRecord } from '../protocol/record.ts';

export type Interrupt = 'SIGINT' | 'SIGTERM' | 'SIGPIPE' | 'stop';

/** Everything of the outside world that a run uses. The command line makes one; so may a caller of the API. */
export interface RunHost {
  /** Reads one variable of the user's environment. */
  readonly env: (name: string) => string | undefined;
  /** All of it, to know the user's secrets by name. Without it only the key of the model is known. */
  readonly environment?: () => Readonly<Record<string, string | undefined>>;
  readonly cwd: string;
  /** Folder for our own files, absolute. */
  readonly stateRoot: string;
  readonly homeDir: string;
  /** Folder of the user's own configuration of pi-sandbox, absolute; without one only the request names a policy. */
  readonly configDir?: string;
  /** Folder with pi's own `auth.json` and `models.json`, absolute; without one only the environment has credentials. */
  readonly piFolder?: string;
  /** Name of this machine: a state folder may be shared by several. */
  readonly machine: string;
  readonly now: () => Date;
  readonly connect: () => Promise<Engine>;
  /** An image that fits this version, built if need be. */
  readonly ensureImage: (engine: Engine, asked: string | undefined, signal: AbortSignal) => Promise<ImageFactsForPlan>;
  /** Calls back on Ctrl-C and the like until the returned function is called. */
  readonly onInterrupt: (listener: (kind: Interrupt) => void) => () => void;
  /** Somebody interrupts a run that is already ending: leave at once. What is left clears up after itself. */
  readonly onImpatient?: (kind: Interrupt) => void;
  /** Takes a record as it happens. A promise holds pi's stream back until it settles. */
  readonly onRecord: (record: SandboxRecord) => void | Promise<void>;
  readonly onDelta: (delta: GatewayDelta) => void;
  /** One line on what is going on, before the first record. */
  readonly progress: (text: string) => void;
  /** Bytes were handed on and are needed no more: who passes gigabytes on may want to clear up. */
  readonly onPassed?: (bytes: number) => void;
  /** Something that the user should know and that is not part of the record, one sentence. */
  readonly warn: (text: string) => void;
  /** Asks the person at the terminal how to go on after an aborted turn; absent when there is none. */
  readonly askNext?: () => Promise<string | undefined>;
  /** Answers the questions of the policy; absent when nobody can, and then each of them is a denial. */
  readonly askGate?: AskGate;
}
