/** `customType` of what the guard writes into pi's session, and so into pi's event stream. */
export const GUARD_ENTRY = 'pi-sandbox-guard';

/** One thing that the guard did. A claim, like everything that pi's process says. */
export type GuardEntry =
  | { readonly v: 1; readonly kind: 'refused'; readonly call: string; readonly tool: string; readonly reason: string }
  | {
      readonly v: 1;
      readonly kind: 'capped';
      readonly call: string;
      readonly limit: CapLimit;
      /** Bytes of output that were dropped between the kept beginning and the kept end. */
      readonly dropped: number;
    }
  | { readonly v: 1; readonly kind: 'default-timeout'; readonly call: string; readonly seconds: number };

/** Which limit cut the kept output. */
export type CapLimit = 'call' | 'run' | 'space';
