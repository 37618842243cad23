const UNITS: Record<string, number> = { '': 1, k: 1_000, m: 1_000_000 };

/** `200000`, `200k`, `1.5m` to a whole number above 0; undefined for anything else. Units are powers of 1,000. */
export function parseCount(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([km]?)\s*$/i.exec(text);
  const unit = UNITS[match?.[2]?.toLowerCase() ?? '?'];
  if (match === null || unit === undefined) return undefined;
  const count = Number(match[1]) * unit;
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}
