/**
 * Rules about the text of files that neither the compiler nor the linter holds. `node scripts/text-rules.ts RULE` checks
 * every file that git knows or would add, prints each violation with its reason and exits 1 when there is one.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

export interface TextFile {
  readonly path: string;
  readonly text: string;
}

interface Rule {
  readonly why: string;
  /** Paths that the rule is about. */
  readonly applies: (path: string) => boolean;
  /** Line numbers, counted from 1, that break the rule. */
  readonly breaks: (text: string) => number[];
}

/** Lines in a file of code. */
const MAX_LINES = 300;
const CODE_FOLDERS = /^(src|test|images|bench|scripts)\//;
const CODE_NAMES = /\.(ts|mts|cts|mjs|cjs|js)$|^scripts\/[^.]+$|^images\/base\/[^.]+$/;
/** Not ours to shorten: recorded streams and the data that tests compare with. */
const FIXTURES = /^test\/fixtures\//;

const linesWith = (pattern: RegExp) => (text: string) =>
  text.split('\n').flatMap((line, index) => (pattern.test(line) ? [index + 1] : []));

export const RULES: Readonly<Record<string, Rule>> = {
  'lock-files': {
    why: 'A lock file pins versions and hashes, not the address of the registry it was written with.',
    applies: (path) => /(^|\/)(package-lock|npm-shrinkwrap)\.json$/.test(path),
    breaks: linesWith(/"resolved":/),
  },
  'file-length': {
    why: `A file has one idea and at most ${MAX_LINES} lines.`,
    applies: (path) => CODE_FOLDERS.test(path) && CODE_NAMES.test(path) && !FIXTURES.test(path),
    breaks: (text) => (text.split('\n').length - 1 > MAX_LINES ? [MAX_LINES + 1] : []),
  },
  environment: {
    why: 'The environment is read once, in src/cli, and handed down as values.',
    applies: (path) => path.startsWith('src/') && !path.startsWith('src/cli/'),
    breaks: linesWith(/\bprocess\s*(\?\.|\.|\[\s*['"`])\s*env\b|\{[^}]*\benv\b[^}]*\}\s*=\s*process\b/),
  },
  'pure-plan': {
    why: 'A plan depends on what was passed in alone: no clock, no chance.',
    applies: (path) => path.startsWith('src/plan/'),
    breaks: linesWith(
      /\bDate\.now\(|\bnew Date\(\)|\bMath\.random\(|\brandom(UUID|Bytes|Int)\(|\bperformance\.now\(|\bprocess\./,
    ),
  },
  places: {
    why: 'Folders of one machine and addresses of registries mean nothing to anybody else.',
    applies: () => true,
    breaks: linesWith(
      /(^|[^\w.])\/work\/|\/tmp\/w\/|\bregistry\.(npmjs|yarnpkg)\.|\b(deb|security|snapshot)\.debian\.org|\bregistry-1\.docker\.io|\bpypi\.org|\bproxy\.golang\.org/,
    ),
  },
  'no-focus': {
    why: 'A focused test silently switches the others off.',
    applies: (path) => /\.test\.ts$/.test(path),
    breaks: linesWith(/\b(test|it|describe|suite)(\.\w+)*\.only\(/),
  },
};

/** One line per violation: rule, place, reason. */
export function violations(rule: string, files: readonly TextFile[]): string[] {
  const known = RULES[rule];
  if (known === undefined) throw new Error(`There is no rule "${rule}". Rules: ${Object.keys(RULES).join(', ')}.`);
  return files
    .filter((file) => known.applies(file.path))
    .flatMap((file) => known.breaks(file.text).map((line) => `${file.path}:${line}: ${known.why}`));
}

/** Every text file that is in the repository or would be added to it. */
function projectFiles(): TextFile[] {
  // A clone that belongs to somebody else is read, not obeyed; git refuses it otherwise when root runs the tests.
  const list = ['-c', 'safe.directory=*', 'ls-files', '-z', '--cached', '--others', '--exclude-standard'];
  const listed = execFileSync('git', list, { encoding: 'utf8' });
  return listed
    .split('\0')
    .filter((path) => path !== '' && !path.startsWith('examples/hostile-repo/'))
    .flatMap((path) => {
      const text = readText(path);
      return text === undefined || text.includes('\0') ? [] : [{ path, text }];
    });
}

/** Undefined for what is listed but not on disk: a file removed and not yet committed. */
function readText(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const found = process.argv.slice(2).flatMap((rule) => violations(rule, projectFiles()));
  if (found.length > 0) console.log(found.join('\n'));
  process.exitCode = found.length > 0 ? 1 : 0;
}
