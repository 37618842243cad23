import type { CommandWord, JudgedCall, RuleMatch } from '../protocol/gate.ts';
import type { PathAccess, Policy } from '../protocol/policy.ts';
import { surroundingsOf } from './file-call.ts';
import { pathForms } from './fold-path.ts';
import { matchersOf } from './rule-matcher.ts';
import { spelledName } from './search-glob.ts';
import { resolveToolPath } from './tool-path.ts';

/** They print or look up their words, or see no more of a file than that it is there. */
const NAMES_ONLY = new Set(
  '[ [[ alias basename cd command declare dirname echo export local ls mkdir printf pwd readlink readonly realpath rmdir stat test touch true type which'.split(
    ' ',
  ),
);
/** What of git shows no contents. */
const GIT_NAMES_ONLY = new Set('add check-ignore clean commit init ls-files mv rm status'.split(' '));
/** Their first operand is a pattern or a program, not a file. */
const PATTERN_FIRST = new Set('ack ag awk egrep fgrep gawk grep jq mawk perl rg sed yq'.split(' '));
/** They may write any of their operands. */
const WRITERS = new Set(
  'chmod chown cp dd install ln mv patch perl rm rsync sed shred tar tee touch truncate unzip'.split(' '),
);

/** Words of one call that are looked at; a call with more is unclear. */
const MAX_WORDS = 2000;
const MAX_WORD = 4095;

/**
 * Words of a command against the path rules that stop something: `cat .env` is stopped where `read .env` is. Only words
 * that stand there as they are, links not followed: what a script, a variable or a pattern like `.e*` makes of it is not
 * seen. That is why this narrows what an honest agent does and is no boundary.
 * The defaults for paths do not count here, since most words name no file.
 */
export function judgeWords(policy: Policy, call: JudgedCall, words: readonly CommandWord[]): readonly RuleMatch[] {
  if (words.length > MAX_WORDS) return [tooMany(policy)];
  const around = surroundingsOf(call);
  const matchers = matchersOf(policy.paths.rules, around).filter(({ rule }) => rule.verdict !== 'allow');
  const found = new Map<string, RuleMatch>();
  for (const { word, access } of fileWords(words)) {
    const wanted = matchers.filter((matcher) => matcher.wants(access));
    for (const form of formsOf(word.text)) {
      const path = resolveToolPath(form, { ...around, workspace: word.folder ?? around.workspace });
      if (path === undefined) continue;
      const asIs = pathForms(path);
      const spelled = pathForms(withoutStars(path));
      for (const matcher of wanted) {
        const met = matcher.meets(asIs) ?? matcher.meets(spelled);
        const { id, verdict, reason } = matcher.rule;
        const subject = `${access.includes('write') ? 'write' : 'read'} ${path}`;
        if (met === undefined || found.has(`${id} ${subject}`)) continue;
        found.set(`${id} ${subject}`, { rule: id, verdict, reason, subject, detail: `${said(word)}: ${met}` });
      }
    }
  }
  return [...found.values()];
}

function fileWords(words: readonly CommandWord[]): { word: CommandWord; access: PathAccess[] }[] {
  const operands = new Map<number, number>();
  return words.flatMap((word, at) => {
    if (word.redirection !== undefined) return [{ word, access: [word.redirection] }];
    const place = operands.get(word.command) ?? 0;
    operands.set(word.command, place + 1);
    const program = word.program ?? '';
    const first = place === 0 ? word : words.slice(0, at).find((other) => isOperandOf(other, word.command));
    if (NAMES_ONLY.has(program) || (PATTERN_FIRST.has(program) && place === 0)) return [];
    if (program === 'git' && (place === 0 || GIT_NAMES_ONLY.has(first?.text ?? ''))) return [];
    return [{ word, access: WRITERS.has(program) ? ['read', 'write'] : ['read'] }];
  });
}

function isOperandOf(word: CommandWord, command: number): boolean {
  return word.redirection === undefined && word.command === command;
}

/** A word itself and the parts that programs take for a file: `--env-file=.env`, `if=.env`, `HEAD:.env`, `@.env`. */
function formsOf(text: string): string[] {
  if (text.length > MAX_WORD || text.includes('\0')) return [];
  const forms = [text, text.slice(text.lastIndexOf('=') + 1), text.slice(text.lastIndexOf(':') + 1)];
  return [...new Set(forms.filter((form) => form !== ''))];
}

/** `.env*` asks for `.env`; a name of stars alone asks for nothing in particular. */
function withoutStars(path: string): string {
  const name = path.slice(path.lastIndexOf('/') + 1);
  const spelled = spelledName(name);
  return spelled === '' || spelled === name ? path : path.slice(0, -name.length) + spelled;
}

function said({ program, redirection, text }: CommandWord): string {
  if (redirection !== undefined) return `${redirection === 'read' ? '<' : '>'} ${text}`;
  return program === undefined ? text : `${program} ${text}`;
}

function tooMany({ commands }: Policy): RuleMatch {
  return {
    rule: 'commands.unclear',
    verdict: commands.unclear,
    reason: 'The command has too many words to look at each of them.',
    subject: 'command',
    detail: `more than ${MAX_WORDS} words`,
  };
}
