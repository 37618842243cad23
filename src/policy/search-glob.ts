import { Wildcard } from '../lib/wildcard.ts';

/** UTF-16 units of a glob that is looked at; a longer one is taken to let everything through. */
const MAX_GLOB = 256;
const MAX_ALTERNATIVES = 32;

/** The `glob` of pi's grep, as ripgrep takes it: gitignore style, `!` in front turns it round, `{a,b}` are alternatives. */
export class SearchGlob {
  /** Names of files that the glob spells out, stars left out: `.env` of `** /.env*`. */
  readonly names: readonly string[];
  readonly #alternatives: readonly Wildcard[] | undefined;
  readonly #negative: boolean;

  constructor(glob: unknown) {
    const text = typeof glob === 'string' ? glob : '';
    this.#negative = text.startsWith('!');
    const plain = text.replace(/^!?(\.\/)+/, '').replace(/^!/, '');
    const all = plain === '' || plain.length > MAX_GLOB ? undefined : expandBraces(plain);
    this.names = this.#negative ? [] : [...new Set((all ?? []).map(spelledName).filter((name) => name !== ''))];
    // Classes and escapes are left to ripgrep: what it makes of them is not known here.
    this.#alternatives = all?.some((one) => /[[\]\\{}]/.test(one)) ? undefined : all?.map(anchored);
  }

  /** Whether a file with this path below the searched folder may be looked into. In doubt it may. */
  lets(path: string): boolean {
    if (this.#alternatives === undefined) return true;
    return this.#alternatives.some((one) => one.matchesWithin(`/${path}`)) !== this.#negative;
  }
}

/** Without a slash it is a name at any depth, else a path from the searched folder. */
function anchored(glob: string): Wildcard {
  const path = glob.replace(/\/+$/, '');
  if (path.startsWith('/')) return new Wildcard(path);
  return new Wildcard(path.includes('/') ? `/${path}` : `/**/${path}`);
}

function spelledName(glob: string): string {
  return glob.slice(glob.lastIndexOf('/') + 1).replace(/[*?[\]\\]/g, '');
}

function expandBraces(glob: string): string[] | undefined {
  let done: string[] = [glob];
  for (;;) {
    const next = done.flatMap((one) => {
      const group = /\{([^{}]*)\}/.exec(one);
      if (group === null) return [one];
      const before = one.slice(0, group.index);
      const after = one.slice(group.index + group[0].length);
      return (group[1] ?? '').split(',').map((choice) => before + choice + after);
    });
    if (next.length > MAX_ALTERNATIVES) return undefined;
    if (next.length === done.length && next.every((one, at) => one === done[at])) return done;
    done = next;
  }
}
