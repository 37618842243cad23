const NANOS_PER_USD = 1_000_000_000;

/** US dollars in whole billionths. Sums of them are exact up to nine million dollars, where sums of dollars drift. */
export function nanoUsd(usd: number): number {
  return Math.round(usd * NANOS_PER_USD);
}

/** Billionths of a US dollar as dollars. */
export function usdOf(nanos: number): number {
  return nanos / NANOS_PER_USD;
}

/** The sum of two amounts in US dollars, to the billionth. */
export function addUsd(a: number, b: number): number {
  return usdOf(nanoUsd(a) + nanoUsd(b));
}

/** Largest budget that may be given, US dollars. */
export const MAX_USD = 1_000_000;

/** `0.50`, `$2` or `2usd` to US dollars; undefined when it is not an amount above 0. */
export function parseUsd(text: string): number | undefined {
  const match = /^\s*\$?\s*(\d+(?:\.\d{1,9})?|\.\d{1,9})\s*(?:usd)?\s*$/i.exec(text);
  const usd = Number(match?.[1] ?? Number.NaN);
  return usd > 0 && usd <= MAX_USD ? usd : undefined;
}
