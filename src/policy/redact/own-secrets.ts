import { isSecretName } from './named-value.ts';

/** A secret of the user that the controller knows itself. */
export interface OwnSecret {
  /** Of the variable; goes on record. */
  readonly name: string;
  readonly value: string;
}

/** Shortest value that is taken for a secret, characters. */
const MIN_VALUE = 12;
/** Longest, and how many: more is no environment that a person has made. */
const MAX_VALUE = 16_384;
const MAX_SECRETS = 200;
/** Lines of a longer secret, such as a key, that are looked for by themselves. */
const MIN_LINE = 32;

/**
 * The secrets among the variables of an environment: those whose name says so, and passwords in addresses. `keep`: values
 * that are known to be none, such as folders of the run.
 */
export function ownSecrets(
  environment: Readonly<Record<string, string | undefined>>,
  keep: readonly string[] = [],
): OwnSecret[] {
  const found = Object.entries(environment).flatMap(([name, value = '']) =>
    (isSecretName(name) ? parts(value) : passwords(value)).map((part) => ({ name, value: part })),
  );
  const seen = new Set<string>();
  return found
    .filter(({ value }) => isSecret(value) && !keep.some((kept) => kept.includes(value)))
    .filter(({ value }) => !seen.has(value) && seen.add(value))
    .slice(0, MAX_SECRETS);
}

function isSecret(value: string): boolean {
  // Less variety is a placeholder, and would be found where nothing is secret.
  return value.length >= MIN_VALUE && value.length <= MAX_VALUE && new Set(value).size >= 5;
}

function parts(value: string): string[] {
  const whole = value.trim();
  if (!whole.includes('\n')) return [whole];
  const lines = whole.split(/\r?\n/).filter((line) => line.length >= MIN_LINE && !line.startsWith('-----'));
  return [whole, ...lines];
}

function passwords(value: string): string[] {
  if (!value.includes('://')) return [];
  const password = URL.parse(value)?.password ?? '';
  return password === '' ? [] : [password, safeDecode(password)];
}

function safeDecode(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}
