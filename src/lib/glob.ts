import ignore from 'ignore';

/**
 * Patterns in gitignore syntax, matched byte by byte. The `ignore` library works on text; each byte is handed to it
 * as one character (latin1), on both sides, so names that are not UTF-8 match like any other.
 */
export class PathPatterns {
  readonly #patterns: readonly string[];
  readonly #all: ignore.Ignore;
  /** Ways into a pattern with a slash: at index n, what a folder n + 1 names deep must match to lead to it. */
  readonly #waysIn: ignore.Ignore[] = [];
  /** Depth from which every folder may lead to a match, because a pattern has `**` there. */
  #openFrom = Number.POSITIVE_INFINITY;
  readonly #used = new Set<string>();

  constructor(patterns: readonly string[]) {
    this.#patterns = patterns;
    this.#all = ignore({ ignorecase: false });
    for (const pattern of patterns) {
      this.#all.add({ pattern: latin1(pattern), mark: pattern });
      this.#addWaysIn(latin1(pattern));
    }
  }

  get empty(): boolean {
    return this.#patterns.length === 0;
  }

  /** Whether the path, or a folder that it is in, matches. Paths are relative, with `/`, and have no trailing slash. */
  matches(path: Buffer, isFolder: boolean): boolean {
    if (this.empty) return false;
    const result = this.#all.test(path.toString('latin1') + (isFolder ? '/' : ''));
    if (result.ignored && result.rule?.mark !== undefined) this.#used.add(result.rule.mark);
    return result.ignored;
  }

  /** Whether something inside this folder can match through a pattern that names a way into it, like `a/b/*.txt`. */
  leadsInto(folder: Buffer): boolean {
    const path = folder.toString('latin1');
    const depth = path.split('/').length;
    return depth > this.#openFrom || (this.#waysIn[depth - 1]?.ignores(`${path}/`) ?? false);
  }

  /** Patterns that have matched nothing so far. */
  unused(): string[] {
    return this.#patterns.filter((pattern) => !pattern.startsWith('!') && !this.#used.has(pattern));
  }

  #addWaysIn(pattern: string): void {
    const body = pattern.replace(/\/+$/, '').replace(/^\//, '');
    if (pattern.startsWith('!') || !body.includes('/')) return;
    const segments = body.split('/').slice(0, -1);
    for (const [index, segment] of segments.entries()) {
      if (segment === '**') {
        this.#openFrom = Math.min(this.#openFrom, index);
        return;
      }
      const way = this.#waysIn[index] ?? ignore({ ignorecase: false });
      this.#waysIn[index] = way.add(`/${segments.slice(0, index + 1).join('/')}/`);
    }
  }
}

function latin1(text: string): string {
  return Buffer.from(text, 'utf8').toString('latin1');
}
