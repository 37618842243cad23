/** JSON of plain data with sorted keys and without blanks: equal values give equal text, so that it can be hashed. */
export function canonicalJson(value: unknown): string {
  return JSON.stringify(value, (_key, inner: unknown) => (isPlain(inner) ? sorted(inner) : inner));
}

function isPlain(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** Without a prototype, so that a key named `__proto__` is one like any other. */
function sorted(value: Record<string, unknown>): Record<string, unknown> {
  const result: Record<string, unknown> = Object.create(null);
  for (const key of Object.keys(value).sort()) result[key] = value[key];
  return result;
}
