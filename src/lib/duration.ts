const UNITS: Record<string, number> = {
  ms: 1,
  s: 1_000,
  '': 1_000,
  m: 60_000,
  min: 60_000,
  h: 3_600_000,
  d: 86_400_000,
};

/** `90`, `90s`, `10m`, `1h`, `30d`, `500ms` to milliseconds; undefined when it is not a duration. Nothing is one only where `zero` says so. */
export function parseDuration(text: string, { zero = false } = {}): number | undefined {
  const match = /^\s*(\d+(?:\.\d+)?)\s*(ms|s|min|m|h|d|)\s*$/.exec(text);
  const unit = UNITS[match?.[2] ?? '?'];
  if (match === null || unit === undefined) return undefined;
  const ms = Math.round(Number(match[1]) * unit);
  return Number.isSafeInteger(ms) && (ms > 0 || zero) ? ms : undefined;
}
