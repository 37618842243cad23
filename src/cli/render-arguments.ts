/** Fields that say most about a call, per tool; the first one goes without its name. */
const FIELDS: Record<string, readonly string[]> = {
  bash: ['command', 'timeout'],
  read: ['path', 'offset', 'limit'],
  write: ['path'],
  edit: ['path'],
  grep: ['pattern', 'path', 'glob', 'ignoreCase', 'literal', 'context', 'limit'],
  find: ['pattern', 'path', 'limit'],
  ls: ['path', 'limit'],
};

/** Arguments of a tool call on one line; untrusted text. */
export function argumentLine(tool: string, args: unknown): string {
  const fields = Object.hasOwn(FIELDS, tool) ? FIELDS[tool] : undefined;
  if (fields === undefined || typeof args !== 'object' || args === null) return jsonOf(args);
  const given = new Map<string, unknown>(Object.entries(args));
  const [main = ''] = fields;
  // A call with wrong arguments is shown as it is, since they are the point.
  if (typeof given.get(main) !== 'string') return tool === 'ls' && given.size === 0 ? '.' : jsonOf(args);
  const rest = fields.slice(1).filter((name) => given.has(name));
  const sizes = sizeNote(tool, given);
  return [String(given.get(main)), ...rest.map((name) => `${name}=${jsonOf(given.get(name))}`), ...sizes].join(' ');
}

function sizeNote(tool: string, given: ReadonlyMap<string, unknown>): string[] {
  const content = given.get('content');
  const edits = given.get('edits');
  if (tool === 'write' && typeof content === 'string') return [`(${Buffer.byteLength(content)} bytes)`];
  if (tool === 'edit' && Array.isArray(edits) && edits.length > 1) return [`(${edits.length} edits)`];
  return [];
}

function jsonOf(value: unknown): string {
  return JSON.stringify(value) ?? '';
}
