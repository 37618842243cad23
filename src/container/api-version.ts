import { SandboxError } from '../errors.ts';

/** Oldest API with every field that we set; Docker 20.10 speaks it. */
const OLDEST = '1.41';
/** Newest API whose changes to those fields were read. */
const NEWEST = '1.51';

/** The API version to speak with an engine: the newest that both know. Throws SandboxError `engine` if there is none. */
export function negotiateApi(
  engine: { Version: string; ApiVersion: string; MinAPIVersion?: string },
  where: string,
): string {
  const newest = smaller(engine.ApiVersion, NEWEST);
  if (compare(newest, OLDEST) < 0) {
    throw new SandboxError(
      'engine',
      `The engine at ${where} (${engine.Version}) speaks API ${engine.ApiVersion}; pi-sandbox needs ${OLDEST} or newer.`,
      { hint: 'Update the engine: Docker 20.10 is the oldest that has every setting the sandbox needs.' },
    );
  }
  if (engine.MinAPIVersion !== undefined && compare(engine.MinAPIVersion, newest) > 0) {
    throw new SandboxError(
      'engine',
      `The engine at ${where} (${engine.Version}) wants API ${engine.MinAPIVersion} at least; pi-sandbox knows up to ${NEWEST}.`,
      { hint: 'Update pi-sandbox.' },
    );
  }
  return newest;
}

function smaller(a: string, b: string): string {
  return compare(a, b) <= 0 ? a : b;
}

/** Compares `1.9` and `1.41` as versions, not as numbers. */
function compare(a: string, b: string): number {
  const [left, right] = [a, b].map((text) => text.split('.').map(Number));
  return (left?.[0] ?? 0) - (right?.[0] ?? 0) || (left?.[1] ?? 0) - (right?.[1] ?? 0);
}
