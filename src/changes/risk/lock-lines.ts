/** How one kind of lock file is read, line by line. */
export interface LockDialect {
  /** What its folded name looks like. */
  readonly name: RegExp;
  readonly isJson?: boolean;
  /** Lines with addresses that are only for people. */
  readonly informs?: RegExp;
  /** The same for a line with `"url"`: what the line above or below it says then. */
  readonly urlInforms?: RegExp;
  /** Lines that name a source without an address; the first group is it. */
  readonly names?: RegExp;
  /** Whether checksums stand far from the version that they belong to. */
  readonly checksumsApart?: boolean;
}

const DIALECTS: readonly LockDialect[] = [
  {
    name: /^(package-lock|npm-shrinkwrap)\.json$/,
    isJson: true,
    informs: /^\s*"(?:url|funding|homepage|deprecated)":|^\s*"[^"]*",?$/,
  },
  {
    name: /^composer\.lock$/,
    isJson: true,
    informs: /^\s*"(?!url")[^"]+":/,
    // Whatever composer cannot download by: `github`, `custom`, `tidelift` and so on, of people who take money.
    urlInforms: /^\s*"type": "(?!(?:git|svn|hg|fossil|perforce|zip|tar|gzip|xz|rar|phar|file|path)")[^"]*"/,
  },
  { name: /^flake\.lock$/, isJson: true, names: /^\s*("(?:owner|repo|host|dir)":\s*"[^"]{1,255})"/ },
  { name: /\.json$|^(pipfile|deno|module\.bazel)\.lock$|^package\.resolved$/, isJson: true },
  { name: /^podfile\.lock$/, checksumsApart: true },
  {
    name: /^(requirements|constraints).*\.txt$/,
    informs: /^\s*#/,
    // Options that name a place, and packages: whoever reads this file takes all that it names.
    names:
      /^\s*(-(?:-(?:extra-)?index-url|-find-links|-trusted-host|-requirement|-constraint|-editable|[ifrce])\b.{0,255}|[\w.-]{1,255})/,
  },
  { name: /^(poetry|uv|pdm)\.lock$/, names: /\b((?:editable|directory|path)\s*=\s*"[^"]{1,255}")/ },
  { name: /^gemfile\.lock$|^gems\.locked$/, names: /^\s*(remote: .{1,255})/ },
];

const OTHER: LockDialect = { name: /^/ };
/** Spellings of characters by number, slashes, and lines that go on: an address may be hidden in them. */
const ESCAPE = /\\(?:[xuU/0-7]|\s*$)/;

export function lockDialect(name: string): LockDialect {
  return DIALECTS.find((dialect) => dialect.name.test(name)) ?? OTHER;
}

/** Whether addresses on this line say where something comes from. */
export function saysSource(dialect: LockDialect, lines: readonly string[], at: number): boolean {
  const line = lines[at]!;
  if (dialect.informs?.test(line) === true) return false;
  if (dialect.urlInforms === undefined || !/^\s*"url":/.test(line)) return true;
  return ![lines[at - 1], lines[at + 1]].some((other) => other !== undefined && dialect.urlInforms!.test(other));
}

/** Whether the line may spell an address in another way. JSON was laid out anew, so it does not. */
export function hidesText(dialect: LockDialect, lines: readonly string[], at: number): boolean {
  if (dialect.isJson === true || !ESCAPE.test(lines[at]!)) return false;
  return !/^\s*--hash=/.test(lines[at + 1] ?? '');
}
