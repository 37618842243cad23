import { type LinearRegExp, linearRegExp } from '../lib/linear-regexp.ts';
import type { CommandJudge, CommandWord, RuleMatch } from '../protocol/gate.ts';
import { GUEST } from '../protocol/guest.ts';
import type { CommandRule } from '../protocol/policy.ts';
import { isAboutCommands, ruleMatches } from './match-command.ts';
import { type ReadCommand, readOptions } from './read-options.ts';
import { readCommands } from './shell/read-commands.ts';
import { type SimpleCommand, UNKNOWN } from './shell/types.ts';

/** Matches of one rule that are told; every rule that matches is told. */
const MAX_MATCHES = 8;

/**
 * Judges the text of a bash call: each simple command in it is held against each rule, and what no rule names meets the
 * default. A text that cannot be told in full adds `commands.unclear`, whatever else was found.
 */
export const judgeCommand: CommandJudge = (policy, text) => {
  const place = { workspace: GUEST.workspace, home: GUEST.home };
  const { commands, unclear } = readCommands(text, place);
  const byRule = new Map<string, Map<string, RuleMatch>>();
  const add = (match: RuleMatch) => {
    const bySubject = byRule.get(match.rule) ?? new Map<string, RuleMatch>();
    byRule.set(match.rule, bySubject);
    // What is too much to tell one by one is told as a whole, so that a yes to one is no yes to all.
    const told = bySubject.size < MAX_MATCHES ? match : { ...match, subject: text };
    if (!bySubject.has(told.subject)) bySubject.set(told.subject, told);
  };
  if (unclear.length > 0) {
    add({
      rule: 'commands.unclear',
      verdict: policy.unclear,
      reason: `What this runs cannot be told before it runs: ${unclear.join('; ')}.`,
      subject: text,
      detail: unclear.join('; '),
    });
  }
  const rules = policy.rules.filter(isAboutCommands);
  for (const rule of policy.rules) {
    if (!isAboutCommands(rule) && textMatches(rule, text))
      add({ ...heading(rule), subject: text, detail: `text matches ${rule.text}` });
  }
  for (const command of commands) {
    const read = readOptions(command, place);
    const met = rules.filter((rule) => ruleMatches(rule, read) && textMatches(rule, text));
    for (const rule of met) add({ ...heading(rule), subject: subjectOf(rule, command, read), detail: shown(command) });
    if (met.length > 0 || command.transparent) continue;
    const reason = `No rule names ${command.program === '' ? 'a redirection by itself' : nameOf(command)}.`;
    add({
      rule: 'commands.default',
      verdict: policy.default,
      reason,
      subject: nameOf(command),
      detail: shown(command),
    });
  }
  return {
    matches: [...byRule.values()].flatMap((bySubject) => [...bySubject.values()]),
    words: commands.flatMap(wordsOf),
  };
};

function heading({ id, verdict, reason }: CommandRule): Pick<RuleMatch, 'rule' | 'verdict' | 'reason'> {
  return { rule: id, verdict, reason };
}

/** Compiled once: a policy lasts as long as its run. */
const compiled = new WeakMap<CommandRule, LinearRegExp>();

function textMatches(rule: CommandRule, text: string): boolean {
  if (rule.text === undefined) return true;
  const pattern = compiled.get(rule) ?? linearRegExp(rule.text);
  compiled.set(rule, pattern);
  return pattern.test(text);
}

function nameOf({ program }: SimpleCommand): string {
  return program === UNKNOWN ? 'a program that only the shell knows' : program;
}

/** What "for this run" covers: the program with the parts that the rule asks for, `git push`; else with its words. */
function subjectOf(rule: CommandRule, command: SimpleCommand, read: ReadCommand): string {
  const options =
    rule.options?.flatMap((names) => read.options.filter((option) => names.split('|').includes(option)).slice(0, 1)) ??
    [];
  const { operands, paths, writesTo, runsInput, sets, text } = rule;
  if (operands || paths || writesTo || runsInput || sets || text) return shown(command);
  return [nameOf(command), ...(rule.subcommand ?? []), ...options].join(' ');
}

/** The command in words, for a person. */
function shown(command: SimpleCommand): string {
  const words = command.args.map(({ text }) => (/^[^\s'"\\;&|<>()]+$/.test(text) ? text : JSON.stringify(text)));
  const targets = command.redirections.map(({ target, writes }) => `${writes ? '>' : '<'} ${target.text}`);
  const from =
    command.fedBy.length > 0 && (command.afterPipe || command.runsInput)
      ? [`(fed by ${command.fedBy.join(', ')})`]
      : [];
  const sets = command.sets.map((name) => `${name}=…`);
  const name = command.program === UNKNOWN ? '…' : command.program;
  return [...sets, name, ...words, ...targets, ...from].filter((part) => part !== '').join(' ');
}

/** Words that may name files. What a wrapper is told is listed with the command that it runs. */
function wordsOf({ program, args, redirections, folder, transparent }: SimpleCommand, command: number): CommandWord[] {
  const place = { command, ...(folder !== undefined && folder !== GUEST.workspace && { folder }) };
  const name = program === '' || program === UNKNOWN ? {} : { program };
  const texts = transparent ? [] : args.flatMap(({ text }) => fileTexts(text));
  return [
    ...texts.map((text): CommandWord => ({ text, ...name, ...place })),
    ...redirections.map(
      ({ target, writes }): CommandWord => ({ text: target.text, redirection: writes ? 'write' : 'read', ...place }),
    ),
  ];
}

/** An operand as it is, or an option's value. */
function fileTexts(text: string): string[] {
  if (!/^-./.test(text)) return [text];
  return /^[\w-]+=(.+)$/s.exec(text)?.slice(1) ?? [];
}
