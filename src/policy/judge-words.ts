import type { CommandWord, JudgedCall, RuleMatch } from '../protocol/gate.ts';
import type { PathAccess, Policy } from '../protocol/policy.ts';
import { surroundingsOf } from './file-call.ts';
import { pathForms } from './fold-path.ts';
import { matchersOf } from './rule-matcher.ts';
import { resolveToolPath } from './tool-path.ts';

/** They print or look up their words, or see no more of a file than its name, size or kind. */
const NAMES_ONLY = setOf(
  '[ [[ alias basename cd command declare dirname du echo export fd file find local ls mkdir printf pwd readlink readonly realpath rmdir stat test true type wc which',
);
/** What of git shows no contents. */
const GIT_NAMES_ONLY = setOf('add check-ignore checkout clean commit init ls-files mv reset restore rm status');
/** Their first operand is a pattern or a program, not a file. */
const PATTERN_FIRST = setOf('ack ag awk egrep fgrep gawk grep jq mawk perl rg sed yq');
/** They write or remove their operands and show nothing of them. */
const WRITE_ONLY = setOf('chmod chown rm shred tee touch truncate');
/** They may write any of their operands, and show or copy them. */
const WRITERS = setOf('cp dd install ln mv patch perl rsync scp sed tar unzip');
/** The last of several operands is where the others go. */
const TARGET_LAST = setOf('cp install ln mv rsync scp');

/** Words of one call that are looked at; a call with more is unclear. */
const MAX_WORDS = 2000;
const MAX_WORD = 4095;

/**
 * Words of a command against the path rules that stop something: `cat .env` is stopped where `read .env` is. Only words
 * that stand there as they are, links not followed: what a script makes of it, what a pattern like `*` stands for
 * and what a program finds in a folder by itself (`grep -r`) is not seen. That is why this narrows what an honest agent does and is no boundary.
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
      const forms = pathForms(path);
      for (const matcher of wanted) {
        const met = matcher.meets(forms) ?? matcher.meetsPattern(path);
        const { id, verdict, reason } = matcher.rule;
        const subject = `${access.find((kind) => matcher.wants([kind]))} ${path}`;
        if (met === undefined || found.has(`${id} ${subject}`)) continue;
        found.set(`${id} ${subject}`, { rule: id, verdict, reason, subject, detail: `${said(word)}: ${met}` });
      }
    }
  }
  return [...found.values()];
}

function fileWords(words: readonly CommandWord[]): { word: CommandWord; access: readonly PathAccess[] }[] {
  const commands = Map.groupBy(
    words.filter(({ redirection }) => redirection === undefined),
    ({ command }) => command,
  );
  const operands = [...commands.values()].flatMap((own) =>
    own.map((word, at) => ({ word, access: accessOf(word.program ?? '', at, own) })),
  );
  const redirections = words.flatMap((word) =>
    word.redirection === undefined ? [] : [{ word, access: [word.redirection] }],
  );
  return [...operands, ...redirections].filter(({ access }) => access.length > 0);
}

/** What a program does with one of its operands; nothing of what it does not open. */
function accessOf(program: string, at: number, own: readonly CommandWord[]): readonly PathAccess[] {
  if (NAMES_ONLY.has(program) || (PATTERN_FIRST.has(program) && at === 0)) return [];
  if (program === 'git' && (at === 0 || GIT_NAMES_ONLY.has(own[0]?.text ?? ''))) return [];
  if (WRITE_ONLY.has(program)) return ['write'];
  if (TARGET_LAST.has(program) && at > 0 && at === own.length - 1) return ['write'];
  return WRITERS.has(program) ? ['read', 'write'] : ['read'];
}

/** A word itself and the parts that programs take for a file: `--env-file=.env`, `if=.env`, `HEAD:.env`, `@.env`. */
function formsOf(text: string): string[] {
  if (text.length > MAX_WORD || text.includes('\0')) return [];
  const forms = [text, text.slice(text.lastIndexOf('=') + 1), text.slice(text.lastIndexOf(':') + 1)];
  return [...new Set(forms.filter((form) => form !== ''))];
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

function setOf(words: string): ReadonlySet<string> {
  return new Set(words.split(' '));
}
