import { expect, test } from 'vitest';
import { judgeCommand } from '../../src/policy/judge-command.ts';
import { SHIPPED_COMMANDS } from '../../src/policy/shipped-commands.ts';
import type { RuleMatch } from '../../src/protocol/gate.ts';
import type { CommandRule } from '../../src/protocol/policy.ts';
import { FALSE_STOPS, HARMLESS } from './commands.harmless.ts';
import { STOPPED } from './commands.stopped.ts';

const policy = (rules: readonly CommandRule[]) => ({
  default: 'allow' as const,
  unclear: 'ask' as const,
  rules: [...rules],
});

/** What stops a command: rules and verdicts, without those that allow. */
function stops(command: string, rules = SHIPPED_COMMANDS): readonly RuleMatch[] {
  return judgeCommand(policy(rules), command).matches.filter(({ verdict }) => verdict !== 'allow');
}

const unclear = STOPPED.filter(([, rule]) => rule === 'commands.unclear').map(([command]) => command);

test('the table is as large as it has to be, without doubles', () => {
  expect(STOPPED.length).toBeGreaterThanOrEqual(70);
  expect(HARMLESS.length).toBeGreaterThanOrEqual(70);
  const commands = [...STOPPED.map(([command]) => command), ...HARMLESS];
  expect(commands.filter((command, index) => commands.indexOf(command) !== index)).toEqual([]);
});

test.each(STOPPED)('%j is stopped by %s: %s', (command, rule, verdict) => {
  expect(stops(command)).toContainEqual(expect.objectContaining({ rule, verdict }));
});

test('every command of daily work is allowed, but for two at most that are named', () => {
  const stopped = HARMLESS.filter((command) => stops(command).length > 0);
  expect(Object.fromEntries(stopped.map((command) => [command, stops(command)]))).toEqual(
    Object.fromEntries(Object.keys(FALSE_STOPS).map((command) => [command, expect.anything()])),
  );
  expect(Object.keys(FALSE_STOPS).length).toBeLessThanOrEqual(2);
});

test('without rules everything is allowed but what is unclear: it is the rules that stop', () => {
  const stopped = STOPPED.filter(([command]) => stops(command, []).length > 0);
  expect(stopped.map(([command]) => command)).toEqual(expect.arrayContaining(unclear));
  for (const [command] of stopped)
    expect(stops(command, [])).toEqual([expect.objectContaining({ rule: 'commands.unclear' })]);
});
