import type { Message, Tool, ToolCall } from '@earendil-works/pi-ai';
import { withoutPatterns } from './without-patterns.ts';

type Validate = (tool: Tool, call: ToolCall) => Record<string, unknown>;

/**
 * Makes of the arguments of a call what pi makes of them before it asks its guard: it folds the forms of `edit`, then
 * lets its library fit them to the schema that it declared (`"5"` becomes 5, an optional null goes away). The same
 * library does it here, with the declarations of the first request, before which nothing untrusted ran inside but MCP
 * servers and the extensions of a trusted project. Of tools that are planned to be declared later, the first one counts.
 */
export class PreparedArguments {
  readonly #tools = new Map<string, Tool>();
  /** Declared, and not compiled yet. */
  readonly #fresh = new Set<string>();
  readonly #later: readonly string[];
  #validate: Validate | undefined;

  /** `later`: tools that the first request need not declare. */
  constructor(later: readonly string[] = []) {
    this.#later = later;
  }

  /** Loads the library and compiles the schemas, which takes a moment: time to be had while the model thinks. */
  async load(): Promise<void> {
    this.#validate ??= (await import('@earendil-works/pi-ai/utils/validation')).validateToolArguments;
    for (const name of this.#fresh) this.of({ type: 'toolCall', id: '', name, arguments: {} });
    this.#fresh.clear();
  }

  /** Takes the declarations of a conversation. */
  declare(messages: readonly Message[]): void {
    const isFirst = this.#tools.size === 0;
    for (const message of messages) {
      if (message.role !== 'system') continue;
      for (const tool of message.toolsAdded ?? []) {
        const { name } = tool;
        if (this.#tools.has(name) || !(isFirst || this.#later.includes(name))) continue;
        this.#tools.set(name, { ...tool, parameters: withoutPatterns(tool.parameters) as Tool['parameters'] });
        this.#fresh.add(name);
      }
    }
  }

  /** Undefined for a call that pi refuses by itself: an unknown tool, or arguments that do not fit. */
  of(call: ToolCall): Record<string, unknown> | undefined {
    const tool = this.#tools.get(call.name);
    if (tool === undefined || this.#validate === undefined) return undefined;
    try {
      const folded = call.name === 'edit' ? foldEdits(call.arguments) : call.arguments;
      return this.#validate(tool, { ...call, arguments: folded as ToolCall['arguments'] });
    } catch {
      return undefined;
    }
  }
}

/** pi 1.6.0 takes edits as JSON text, as one object, and as `oldText` and `newText` beside the path. */
function foldEdits(given: Readonly<Record<string, unknown>>): Record<string, unknown> {
  const args: Record<string, unknown> = { ...given };
  if (args['edits'] !== undefined) args['edits'] = editList(args['edits']);
  const { oldText, newText, ...rest } = args;
  if (typeof oldText !== 'string' || typeof newText !== 'string') return args;
  const edits: unknown = rest['edits'];
  return { ...rest, edits: [...(Array.isArray(edits) ? edits : []), { oldText, newText }] };
}

function editList(edits: unknown): unknown {
  if (isEdit(edits)) return [edits];
  if (typeof edits !== 'string') return edits;
  try {
    const parsed: unknown = JSON.parse(edits);
    if (Array.isArray(parsed)) return parsed;
    return isEdit(parsed) ? [parsed] : edits;
  } catch {
    return edits;
  }
}

function isEdit(value: unknown): boolean {
  return (
    typeof value === 'object' &&
    value !== null &&
    'oldText' in value &&
    'newText' in value &&
    typeof value.oldText === 'string' &&
    typeof value.newText === 'string'
  );
}
