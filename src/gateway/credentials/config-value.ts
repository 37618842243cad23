/*
 * How pi writes keys and headers: a literal with `$NAME` and `${NAME}` for variables, `$$` and `$!` for the characters
 * themselves, or `!` and a shell command whose output it is.
 */

export type ConfigValue =
  | { readonly kind: 'command'; readonly command: string }
  | { readonly kind: 'template'; readonly parts: readonly TemplatePart[] };

type TemplatePart = { readonly text: string } | { readonly variable: string };

const REFERENCE = /\$(?:([$!])|\{([A-Za-z_][A-Za-z0-9_]*)\}|([A-Za-z_][A-Za-z0-9_]*))/g;

export function parseConfigValue(value: string): ConfigValue {
  if (value.startsWith('!')) return { kind: 'command', command: value.slice(1) };
  const parts: TemplatePart[] = [];
  let at = 0;
  for (const match of value.matchAll(REFERENCE)) {
    parts.push({ text: value.slice(at, match.index) });
    const [whole, escaped, braced, plain] = match;
    const variable = braced ?? plain;
    parts.push(variable === undefined ? { text: escaped ?? '' } : { variable });
    at = match.index + whole.length;
  }
  parts.push({ text: value.slice(at) });
  return { kind: 'template', parts };
}

/** Variables that the value needs, each once. */
export function variablesOf(value: ConfigValue): string[] {
  if (value.kind === 'command') return [];
  return [...new Set(value.parts.flatMap((part) => ('variable' in part ? [part.variable] : [])))];
}

/** A value that cannot be had; the words are ours and hold no secret. */
export class ConfigValueError extends Error {
  override readonly name: string = 'ConfigValueError';
}

/** A variable that a value needs and nobody has set. */
export class MissingVariable extends ConfigValueError {
  override readonly name = 'MissingVariable';

  constructor(variable: string) {
    super(`the variable ${variable} is not set`);
  }
}

export interface ConfigSources {
  readonly env: (name: string) => string | undefined;
  readonly run: (command: string) => Promise<string>;
}

/** What the value stands for. Rejects with ConfigValueError. */
export async function resolveConfigValue(value: ConfigValue, { env, run }: ConfigSources): Promise<string> {
  if (value.kind === 'command') return await run(value.command);
  return value.parts
    .map((part) => {
      if ('text' in part) return part.text;
      const found = env(part.variable);
      if (found === undefined || found === '') throw new MissingVariable(part.variable);
      return found;
    })
    .join('');
}
