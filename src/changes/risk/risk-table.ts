import type { RiskClass } from '../../protocol/changes.ts';
import { BUILD_SCRIPTS, PROJECT_FILES } from './build-files.ts';
import { CI, HOOKS, LOCK_FILES } from './repository-files.ts';
import { AGENT_CONFIG, EDITORS, SHELLS } from './start-up-files.ts';

/** What makes a class, in one sentence each. docs/risks.md is made from these. */
export const RISK_REASONS: Readonly<Record<RiskClass, string>> = {
  hooks:
    'Git, a tool that manages its hooks, or another version control runs these files, or what they say, at its next command.',
  ci: 'A CI service runs these with its own secrets, or they decide what is checked; removed, nothing is checked any more.',
  'package-script':
    'A package manager runs scripts from this file, and the install scripts of every package that it names.',
  'lockfile-source':
    'The next install takes packages from this address or with this checksum, and runs their install scripts.',
  'editor-task': 'An editor reads these when the folder is opened, and may start the programs that they name.',
  'shell-start-up':
    'A shell or a tool in it reads these on start or on entering the folder, and runs what they say or passes it on.',
  'agent-config': 'Coding agents obey these the next time they work here, outside of this sandbox too.',
  'build-script':
    'Building, testing, linting or installing the project runs code from these, or gets it from where they say.',
  binary: 'Nobody can read what was changed.',
  'executable-bit': 'The file can be started as a program from now on.',
  symlink: 'What is read or written under this name is somewhere else.',
  submodule: 'Git fetches other repositories from the addresses in this file.',
  'hidden-unicode':
    'Characters that are not seen, or reorder what is, make text look different from what a program reads.',
  gitattributes:
    'These can hide a file from diffs, change contents on checkout and start filter programs that are configured.',
};

/** The reason of a class, for people: one sentence. */
export function explainRisk(risk: RiskClass): string {
  return RISK_REASONS[risk];
}

/**
 * How the change of such a file is judged. `any`: each changed place. `beyond-versions`: places where more changed than
 * version numbers. `package`, `composer`: keys that run code or name a source. `lock`: lines that name a source. `new`: only that it is new.
 */
export type Judge = 'any' | 'beyond-versions' | 'package' | 'composer' | 'lock' | 'new';

export interface RiskRule {
  readonly class: RiskClass;
  /** What such a file is, as a short phrase. */
  readonly what: string;
  readonly judge: Judge;
  /** Whether it is a risk, too, to remove it: it may have been a check or a limit. */
  readonly removal: boolean;
  /**
   * In lower case. `name` and `na*.me`: a file in any folder; `folder/`: everything in a folder of this name, and the
   * name itself; `a/b`: with the folders before it. A star stands for anything but a slash.
   */
  readonly patterns: readonly string[];
}

export const RISK_RULES: readonly RiskRule[] = [
  { class: 'hooks', what: 'git hook', judge: 'any', removal: true, patterns: HOOKS },
  { class: 'ci', what: 'CI configuration', judge: 'any', removal: true, patterns: CI },
  {
    class: 'package-script',
    what: 'package manifest',
    judge: 'package',
    removal: false,
    patterns: ['package.json'],
  },
  { class: 'package-script', what: 'package manifest', judge: 'composer', removal: false, patterns: ['composer.json'] },
  {
    class: 'package-script',
    what: 'package manifest',
    judge: 'beyond-versions',
    removal: false,
    patterns: ['package.json5', 'package.yaml'],
  },
  { class: 'lockfile-source', what: 'lock file', judge: 'lock', removal: true, patterns: LOCK_FILES },
  { class: 'editor-task', what: 'editor configuration', judge: 'any', removal: false, patterns: EDITORS },
  { class: 'shell-start-up', what: 'start-up file', judge: 'any', removal: false, patterns: SHELLS },
  { class: 'agent-config', what: 'agent configuration', judge: 'any', removal: true, patterns: AGENT_CONFIG },
  {
    class: 'build-script',
    what: 'package manager configuration',
    judge: 'any',
    removal: true,
    patterns: [
      '.npmrc',
      '.yarnrc',
      '.yarnrc.yml',
      '.yarn/',
      '.pnpmfile.*',
      'pnpm-workspace.yaml',
      'bunfig.toml',
      'pip.conf',
      'pip.ini',
      '.pypirc',
      '.pip/',
      'uv.toml',
      'nuget.config',
      '.bundle/',
      '.gemrc',
      '.condarc',
      '.cargo/',
      '.m2/',
      '.mvn/',
      'auth.json',
    ],
  },
  { class: 'build-script', what: 'build file', judge: 'any', removal: false, patterns: BUILD_SCRIPTS },
  {
    class: 'build-script',
    what: 'project file',
    judge: 'beyond-versions',
    removal: false,
    patterns: PROJECT_FILES,
  },
  { class: 'submodule', what: 'addresses of submodules', judge: 'any', removal: false, patterns: ['.gitmodules'] },
  {
    class: 'gitattributes',
    what: 'git configuration',
    judge: 'any',
    removal: true,
    patterns: ['.gitattributes', '.gitconfig', '.lfsconfig', '.config/git/'],
  },
  {
    class: 'executable-bit',
    what: 'program by its name on Windows',
    judge: 'new',
    removal: false,
    patterns: [
      '*.bat',
      '*.cmd',
      '*.com',
      '*.scr',
      '*.pif',
      '*.vbs',
      '*.vbe',
      '*.jse',
      '*.wsf',
      '*.wsh',
      '*.hta',
      '*.cpl',
    ],
  },
];

/** Classes that are found by looking at the change itself or at any content, and what is looked for. */
export const FOUND_OTHERWISE: Readonly<Partial<Record<RiskClass, string>>> = {
  binary:
    'a new content with a NUL byte or with too many control characters; one that is too large to be looked through or not at hand',
  'executable-bit': 'a file that has the executable bit and did not have it',
  symlink: 'a link that is new or points elsewhere than before',
  'hidden-unicode':
    'added lines and names with bidi controls, zero-width and other ignorable characters, tags, C1 controls or line separators (not: a byte order mark at the start, emoji sequences, single joiners in scripts that need them)',
};
