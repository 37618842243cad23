/** Looks up which patterns of the risk table a path matches: three maps, and expressions for what has a star inside. */
export class PathMatcher<T> {
  readonly #names = new Map<string, T[]>();
  readonly #folders = new Map<string, T[]>();
  /** `*.ending`, by the ending with its first dot. */
  readonly #endings = new Map<string, T[]>();
  readonly #others: { readonly pattern: RegExp; readonly value: T }[] = [];
  /** All of the above at once, because most paths match none. */
  readonly #anyOther: RegExp;

  constructor(patterns: Iterable<readonly [pattern: string, value: T]>) {
    for (const [pattern, value] of patterns) this.#add(pattern, value);
    this.#anyOther = new RegExp(this.#others.map(({ pattern }) => pattern.source).join('|') || '$^');
  }

  /** Values of all patterns that match, each once. The path is folded (`foldPath`). */
  find(path: string): Set<T> {
    const found = new Set<T>();
    const add = (values: readonly T[] | undefined) => values?.forEach((value) => void found.add(value));
    let from = 0;
    for (let slash = path.indexOf('/'); slash >= 0; slash = path.indexOf('/', from)) {
      add(this.#folders.get(path.slice(from, slash)));
      from = slash + 1;
    }
    const name = path.slice(from);
    add(this.#folders.get(name));
    add(this.#names.get(name));
    for (let dot = name.indexOf('.'); dot >= 0; dot = name.indexOf('.', dot + 1)) {
      add(this.#endings.get(name.slice(dot)));
    }
    if (!this.#anyOther.test(path)) return found;
    for (const { pattern, value } of this.#others) if (pattern.test(path)) found.add(value);
    return found;
  }

  #add(pattern: string, value: T): void {
    const plain = !pattern.includes('*');
    if (plain && !pattern.includes('/')) push(this.#names, pattern, value);
    else if (plain && pattern.indexOf('/') === pattern.length - 1) push(this.#folders, pattern.slice(0, -1), value);
    else if (/^\*\.[^*/]+$/.test(pattern)) push(this.#endings, pattern.slice(1), value);
    else this.#others.push({ pattern: expression(pattern), value });
  }
}

function expression(pattern: string): RegExp {
  const source = pattern
    .replace(/\/$/, '')
    .replace(/[.+?^${}()|[\]\\]/g, '\\$&')
    .replaceAll('*', '[^/]*');
  return new RegExp(`(?:^|/)${source}${pattern.endsWith('/') ? '(?:/|$)' : '$'}`);
}

function push<T>(map: Map<string, T[]>, key: string, value: T): void {
  map.set(key, [...(map.get(key) ?? []), value]);
}
