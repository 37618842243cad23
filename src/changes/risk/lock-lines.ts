/** Reads one lock file line by line: which lines say where a package comes from. */
export interface LockDialect {
  /** Part of the folded file name. */
  readonly name: RegExp;
  /** Lines with addresses that are only for people. */
  readonly informs?: RegExp;
  /** Lines with addresses that count only below a line like this. */
  readonly below?: { readonly line: RegExp; readonly needs: RegExp };
  /** Lines that name a source without an address; the first group is it. */
  readonly names?: RegExp;
  /** Whether checksums stand far from the version that they belong to. */
  readonly checksumsApart?: boolean;
}

const DIALECTS: readonly LockDialect[] = [
  {
    name: /^(package-lock|npm-shrinkwrap)\.json$/,
    informs: /^\s*(?:"(?:url|funding|homepage|deprecated)"\s*:|"[^"]*",?\s*$)/,
  },
  {
    name: /^composer\.lock$/,
    informs: /^\s*"(?!url")[\w-]+"\s*:/,
    below: { line: /^\s*"url"\s*:/, needs: /^\s*"type"\s*:/ },
  },
  { name: /^flake\.lock$/, names: /^\s*"((?:owner|repo|host|dir)"\s*:\s*"[^"]{1,255})"/ },
  { name: /^podfile\.lock$/, checksumsApart: true },
  {
    name: /^requirements.*\.txt$|^constraints.*\.txt$/,
    informs: /^\s*#/,
    names: /^\s*(-(?:-index-url|-extra-index-url|-find-links|-trusted-host|i|f|e|r|c)\b.{0,255})/,
  },
  { name: /^(poetry|uv|pdm)\.lock$/, names: /\b((?:editable|directory|path)\s*=\s*"[^"]{1,255}")/ },
  { name: /^gemfile\.lock$|^gems\.locked$/, names: /^\s*(remote: .{1,255})/ },
];

const OTHER: LockDialect = { name: /^/ };

export function lockDialect(name: string): LockDialect {
  return DIALECTS.find((dialect) => dialect.name.test(name)) ?? OTHER;
}

/** Whether addresses on this line say where something comes from. */
export function saysSource(dialect: LockDialect, line: string, lineAbove: string): boolean {
  if (dialect.informs?.test(line) === true) return false;
  return dialect.below === undefined || !dialect.below.line.test(line) || dialect.below.needs.test(lineAbove);
}
