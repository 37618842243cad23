import type { CommandRule } from '../protocol/policy.ts';
import { globMatches, isLiteralGlob, literalOf } from './glob-text.ts';
import type { ReadCommand } from './read-options.ts';

/** Whether a rule is about a command. What the rule says of the text of the whole call is held against that elsewhere. */
export function ruleMatches(rule: CommandRule, command: ReadCommand): boolean {
  const { programs, subcommand, options, without, operands, paths, writesTo, except, afterPipe, runsInput } = rule;
  const counted = (words: readonly string[]) => (except ? words.filter((word) => !some(except, [word])) : words);
  if (programs && !some(programs, [command.program])) return false;
  if (subcommand && !hasSubcommand(subcommand, command)) return false;
  if (options && !options.every((names) => hasOption(names, command))) return false;
  if (without?.some((names) => hasOption(names, command))) return false;
  if (operands && !some(operands, counted(command.operands))) return false;
  if (paths && !some(paths, counted(command.paths))) return false;
  if (writesTo && !some(writesTo, counted(command.writes))) return false;
  if (afterPipe !== undefined && afterPipe !== command.afterPipe) return false;
  if (runsInput !== undefined && runsInput !== command.runsInput) return false;
  if (rule.fedBy && !some(rule.fedBy, command.fedBy)) return false;
  return !rule.sets || some(rule.sets, command.sets);
}

/** Whether a rule says anything about single commands, and not of the text only. */
export function isAboutCommands(rule: CommandRule): boolean {
  return Object.keys(rule).some((key) => !['id', 'verdict', 'reason', 'text'].includes(key));
}

function some(globs: readonly string[], patterns: readonly string[]): boolean {
  return globs.some((glob) => patterns.some((pattern) => meets(glob, pattern)));
}

/**
 * Whether a glob of a rule and a word with wildcards can mean the same. The word is a pattern in which quoted wildcards have
 * a `\` before them; `\*` in the rule is a wildcard of the word.
 */
function meets(glob: string, pattern: string): boolean {
  if (globMatches(glob, pattern)) return true;
  const escaped = pattern.includes('\\');
  if (escaped && !glob.includes('\\*') && globMatches(glob, literalOf(pattern))) return true;
  if (!/[*?[]/.test(pattern) || isLiteralGlob(pattern) || !isLiteralGlob(glob) || glob.includes('\\*')) return false;
  return hiddenAlike(glob, pattern) && globMatches(pattern, literalOf(glob));
}

/** Wildcards do not stand for a leading dot, and what is nothing but dots or `~` is no name. */
function hiddenAlike(glob: string, pattern: string): boolean {
  const [name, word] = [glob.split('/'), pattern.split('/')];
  return (
    name.length === word.length &&
    !/^[.~]*$/.test(glob) &&
    name.every((part, index) => !part.startsWith('.') || /^(\.|\[)/.test(word[index]!))
  );
}

/** The words in their order, after options only: `push` of `git -C folder push`. */
function hasSubcommand(globs: readonly string[], { operands, skippable }: ReadCommand): boolean {
  for (let start = 0; start <= skippable; start++) {
    const words = operands.slice(start, start + globs.length);
    if (words.length === globs.length && globs.every((glob, index) => some(glob.split('|'), [words[index]!])))
      return true;
  }
  return false;
}

function hasOption(names: string, command: ReadCommand): boolean {
  return names.split('|').some((name) => command.options.some((option) => isOption(name, option)));
}

/** GNU programs take the start of a long option for it. */
function isOption(name: string, option: string): boolean {
  if (name === option || globMatches(name, option)) return true;
  if (!name.startsWith('--') || !option.startsWith('--')) return false;
  const long = option.split('=', 1)[0]!;
  return long === name || (long.length >= 5 && name.startsWith(long));
}
