import { effectivePolicy } from '../../src/policy/effective.ts';
import type { CommandJudge, CommandWord, JudgedCall, RuleMatch } from '../../src/protocol/gate.ts';
import type { Policy } from '../../src/protocol/policy.ts';

const ALLOW = { read: 'allow', write: 'allow' } as const;

/** A policy that allows everything and has all of pi's usual tools, with parts of it replaced. */
export function policyWith(parts: Partial<Policy> = {}): Policy {
  const base = effectivePolicy({}, []);
  return {
    ...base,
    commands: { default: 'allow', unclear: 'ask', rules: [] },
    paths: { inside: ALLOW, outside: ALLOW, rules: [] },
    ...parts,
  };
}

export function callOf(
  tool: string,
  args: Readonly<Record<string, unknown>>,
  more: Partial<JudgedCall> = {},
): JudgedCall {
  return { tool, arguments: args, workspace: '/workspace', paths: [], nested: false, ...more };
}

/** A judge that finds these words and rules in every command. */
export function judgeOf(words: readonly CommandWord[] = [], matches: readonly RuleMatch[] = []): CommandJudge {
  return () => ({ words, matches });
}

/** Words of commands without quotes or expansions, apart by `;`, and their redirections. */
export const plainJudge: CommandJudge = (_policy, text) => ({
  matches: [],
  words: text.split(';').flatMap((simple, command) => {
    const [program = '', ...rest] = simple.trim().split(/\s+/);
    return rest
      .filter((word) => !/^-[^=]*$/.test(word))
      .map((word): CommandWord => {
        if (word.startsWith('>')) return { text: word.slice(1), redirection: 'write', command };
        if (word.startsWith('<')) return { text: word.slice(1), redirection: 'read', command };
        return { text: word, program, command };
      });
  }),
});
