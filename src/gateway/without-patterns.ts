/**
 * A JSON schema without its regular expressions. They come from the container, and one that takes for ever would stop the
 * controller with it. Arguments that only a pattern refuses then count as seen; pi refuses them by itself.
 */
export function withoutPatterns(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(withoutPatterns);
  if (typeof schema !== 'object' || schema === null) return schema;
  return Object.fromEntries(Object.entries(schema).flatMap(([key, value]) => kept(key, value)));
}

/** Keywords whose members are named by the schema, so that `pattern` among them is no keyword. */
const NAMED: ReadonlySet<string> = new Set(['properties', '$defs', 'definitions', 'dependentSchemas']);
/** Values, not schemas. */
const VALUES: ReadonlySet<string> = new Set(['const', 'enum', 'default', 'examples', 'required']);
const PATTERNS: ReadonlySet<string> = new Set(['pattern', 'patternProperties', 'format']);

function kept(key: string, value: unknown): [string, unknown][] {
  if (PATTERNS.has(key)) return [];
  if (VALUES.has(key)) return [[key, value]];
  if (!NAMED.has(key) || typeof value !== 'object' || value === null) return [[key, withoutPatterns(value)]];
  return [[key, Object.fromEntries(Object.entries(value).map(([name, one]) => [name, withoutPatterns(one)]))]];
}
