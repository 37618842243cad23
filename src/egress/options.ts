import type { Socket } from 'node:net';
import type { EgressEndEntry, EgressEntry, NetworkPlan } from '../protocol/network.ts';
import type { NewRecord } from '../protocol/record.ts';
import type { Resolve } from './judge.ts';

/** Connects to an IP address. Rejects when nobody answers, or when the signal says so. */
export type Connect = (address: string, port: number, signal: AbortSignal) => Promise<Socket>;

export interface EgressOptions {
  readonly run: string;
  readonly plan: NetworkPlan;
  readonly record: (record: NewRecord) => void;
  /** Appends durably before it returns. When it throws, nothing is answered and the run fails. */
  readonly ledger: (entry: EgressEntry | EgressEndEntry) => void;
  /** A line could not be kept: the run must end. */
  readonly onFailure: (error: unknown) => void;
  /** Bytes moved: the run is not idle. */
  readonly onActivity?: () => void;
  readonly now?: () => number;
  readonly resolve?: Resolve;
  readonly connect?: Connect;
  /** Addresses of this machine, which count as private even where they are public. */
  readonly ownAddresses?: () => readonly string[];
}
