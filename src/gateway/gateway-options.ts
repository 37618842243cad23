import type { LedgerEntry } from '../protocol/ledger.ts';
import type { GatewayLimits } from '../protocol/model.ts';
import type { NewRecord } from '../protocol/record.ts';
import type { GatePort } from './gate-port.ts';
import type { GatewayDelta, GatewayFailure } from './gateway-state.ts';
import type { ModelSource } from './model-source.ts';
import type { RequestRedaction } from './redact-request.ts';

export interface GatewayOptions {
  readonly run: string;
  readonly source: ModelSource;
  readonly limits: GatewayLimits;
  /** Time that the run is given from now on, milliseconds; the model is told when little of it is left. */
  readonly wallMs?: number;
  /** What pi must declare, no more and no less. */
  readonly tools: readonly string[];
  /** Tools that may be declared as well. */
  readonly reachableTools?: readonly string[] | undefined;
  /** Secrets that must not go to the provider. */
  readonly redaction?: RequestRedaction;
  readonly record: (record: NewRecord) => void;
  /** Appends durably before it returns. When it throws, nothing is answered and the run fails. */
  readonly ledger: (entry: LedgerEntry) => void;
  /** Decides on tool calls; without it there is no `/gate`. */
  readonly gate?: GatePort;
  readonly onDelta?: (delta: GatewayDelta) => void;
  /** The run must end: failures of any kind but `model`. Called once. */
  readonly onFailure?: (failure: GatewayFailure) => void;
  readonly now?: () => number;
}
