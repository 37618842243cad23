/** As powers of ten: decimals times 1,000 drift, so that 1.005k would be no whole number. */
const UNITS: Record<string, number> = { '': 0, k: 3, m: 6 };

/** `200000`, `200k`, `1.5m` to a whole number above 0; undefined for anything else. Units are powers of 1,000. */
export function parseCount(text: string): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*([km]?)\s*$/i.exec(text);
  const unit = UNITS[match?.[2]?.toLowerCase() ?? '?'];
  if (match === null || unit === undefined) return undefined;
  const count = Number(`${match[1]}e${unit}`);
  return Number.isSafeInteger(count) && count > 0 ? count : undefined;
}
