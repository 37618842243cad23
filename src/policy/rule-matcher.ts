import { Wildcard } from '../lib/wildcard.ts';
import type { PathAccess, PathRule } from '../protocol/policy.ts';
import { foldPath, type PathForms, type Spelling } from './fold-path.ts';
import type { Surroundings } from './tool-path.ts';

interface Matcher {
  readonly glob: string;
  readonly wildcard: Wildcard;
}

/** A path rule made ready for many paths. */
export class RuleMatcher {
  readonly rule: PathRule;
  readonly #names: readonly Matcher[];
  readonly #folders: readonly Matcher[];
  readonly #except: readonly Wildcard[];
  /** What stops something also stops look-alikes; what allows something allows exactly that, and so does an exception. */
  readonly #fold: (text: string) => string;

  constructor(rule: PathRule, around: Surroundings) {
    this.rule = rule;
    this.#fold = rule.verdict === 'allow' ? (text) => text : foldPath;
    this.#names = (rule.names ?? []).map((glob) => ({ glob, wildcard: new Wildcard(this.#fold(glob)) }));
    this.#folders = (rule.folders ?? []).map((glob) => ({ glob, wildcard: this.#folder(glob, around) }));
    this.#except = (rule.except ?? []).map((glob) => new Wildcard(glob));
  }

  wants(access: readonly PathAccess[]): boolean {
    return this.rule.access === undefined || this.rule.access.some((kind) => access.includes(kind));
  }

  /** Which part of the rule an absolute path meets: `names .env`, `folders .git/hooks`. Undefined when none. */
  meets(path: PathForms): string | undefined {
    const met = this.#part(this.rule.verdict === 'allow' ? [path.exact] : path.folded);
    if (met === undefined || this.#except.some((except) => except.matches(path.exact.name))) return undefined;
    return met;
  }

  /**
   * Which name of the rule a path stands for whose last part is a pattern of the shell: `.env` of `.e*`. A pattern that
   * says less than two characters, `.*` aside, asks for nothing in particular.
   */
  meetsPattern(path: string): string | undefined {
    const pattern = this.#fold(path.slice(path.lastIndexOf('/') + 1));
    const said = pattern.search(/[*?[]/);
    if (said < 1 || (said === 1 && !pattern.startsWith('.'))) return undefined;
    const wildcard = new Wildcard(pattern);
    const named = this.#names.find(
      ({ glob, wildcard: own }) => wildcard.matches(this.#fold(glob)) || own.matches(pattern),
    );
    return named === undefined ? undefined : `names ${named.glob}`;
  }

  #part(spellings: readonly Spelling[]): string | undefined {
    if (this.rule.names === undefined && this.rule.folders === undefined) return 'every path';
    for (const { path, name } of spellings) {
      const named = this.#names.find(({ wildcard }) => wildcard.matches(name));
      if (named !== undefined) return `names ${named.glob}`;
      const folder = this.#folders.find(({ wildcard }) => wildcard.matchesWithin(path));
      if (folder !== undefined) return `folders ${folder.glob}`;
    }
    return undefined;
  }

  /** `folder/**` means the folder as well: what holds for all that is in it holds for looking into it. */
  #folder(glob: string, { workspace, home }: Surroundings): Wildcard {
    const whole = glob
      .replace(/^(\.\/)+/, '')
      .replace(/(^|\/)\*\*$/, '$1')
      .replace(/(?<=.)\/+$/, '');
    if (whole.startsWith('/')) return new Wildcard(this.#fold(whole === '/' ? '' : whole));
    const [root, below] = whole === '~' || whole.startsWith('~/') ? [home, whole.slice(2)] : [workspace, whole];
    const inside = below === '' || below === '.' ? '' : `/${below}`;
    return new Wildcard(this.#fold(inside), { literal: this.#fold(root === '/' ? '' : root) });
  }
}

const ready = new WeakMap<readonly PathRule[], { around: Surroundings; matchers: readonly RuleMatcher[] }>();

/** The rules made ready; kept for the calls that follow, since one run has one policy. */
export function matchersOf(rules: readonly PathRule[], around: Surroundings): readonly RuleMatcher[] {
  const known = ready.get(rules);
  if (known !== undefined && known.around.workspace === around.workspace && known.around.home === around.home)
    return known.matchers;
  const matchers = rules.map((rule) => new RuleMatcher(rule, around));
  ready.set(rules, { around, matchers });
  return matchers;
}
