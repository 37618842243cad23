/** url.parse() is deprecated: docker-modem calls it for tcp:// endpoints, and a user can do nothing about it. */
const SILENCED = new Set(['DEP0169']);

/** Keeps warnings of Node about code of our libraries from the user's terminal; every other one is shown as ever. */
export function silenceKnownWarnings(): void {
  const emit = process.emitWarning.bind(process) as (...args: unknown[]) => void;
  process.emitWarning = (...args: unknown[]): void => {
    if (!SILENCED.has(codeOf(args) ?? '')) emit(...args);
  };
}

/** The code in any of the forms of `emitWarning`: in the error, in the options, or third. */
function codeOf([warning, options, third]: readonly unknown[]): string | undefined {
  for (const holder of [warning, options]) {
    if (typeof holder === 'object' && holder !== null && 'code' in holder) return String(holder.code);
  }
  return typeof third === 'string' ? third : undefined;
}
