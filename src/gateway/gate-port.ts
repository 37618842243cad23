import type { GateAnswer } from '../protocol/gate.ts';

/** A tool call of the model as the container gets to know it. */
export interface SeenCall {
  readonly id: string;
  readonly tool: string;
  /** As pi hands them to its guard and to the tool. Absent when pi will refuse the call before that. */
  readonly arguments: Readonly<Record<string, unknown>> | undefined;
}

/** The result of a tool call, as pi says in a conversation. A claim. */
export interface SaidResult {
  readonly call: string;
  readonly isError: boolean;
}

/** A question that is turned away as HTTP. What it says may be read inside the container. */
export interface GateRefusal {
  readonly refused: 'json' | 'schema' | 'depth' | 'values' | 'limit';
  readonly status: number;
  readonly message: string;
}

/** What the gateway tells the gate of a run, and asks of it. */
export interface GatePort {
  /** Largest question, bytes. */
  readonly questionBytes: number;
  /** Called before the container can know the end of the call, so that a question about it always comes later. */
  called(call: SeenCall): void;
  /** The results in a conversation that pi sends, oldest first. Returns why the run must end, if so. */
  returned(results: readonly SaidResult[]): string | undefined;
  /** One question of the guard. `signal` aborts when nobody waits for the answer any more. A rejection fails the run. */
  answer(question: Buffer, signal: AbortSignal): Promise<GateAnswer | GateRefusal>;
}
