import { expect, test } from 'vitest';
import { judgeCommand } from '../../src/policy/judge-command.ts';
import type { CommandRule } from '../../src/protocol/policy.ts';

const judge = (command: string, rule: Partial<CommandRule>, verdict: CommandRule['verdict'] = 'deny') =>
  judgeCommand(
    { default: 'allow', unclear: 'ask', rules: [{ id: 'it', reason: 'Because.', verdict, ...rule }] },
    command,
  );
const met = (command: string, rule: Partial<CommandRule>) =>
  judge(command, rule).matches.filter((match) => match.rule === 'it');

const remove = { programs: ['rm'], options: ['-r|-R|--recursive', '-f|--force'] };
test.each([
  ['rm -rf x', true],
  ['rm -r -f x', true],
  ['rm -Rvf x', true],
  ['rm x --recursive --force', true],
  ['rm --recurs --force x', true],
  ['rm -r x', false],
  ['rm -- -rf', false],
  ['rm -r -- -f', false],
  ['rmdir -rf x', false],
])('options of %j: short ones in one word count each, and "--" ends them: %s', (command, expected) => {
  expect(met(command, remove).length > 0).toBe(expected);
});

test('an option and a longer one that starts like it are different', () => {
  expect(met('git push --force', { options: ['--force'] })).toHaveLength(1);
  expect(met('git push --force-with-lease', { options: ['--force'] })).toEqual([]);
  expect(met('git push --force-with-lease=main', { options: ['--force-with-lease'] })).toHaveLength(1);
});

test.each([
  ['git push', true],
  ['git -C folder -c a.b=c push', true],
  ['git --no-pager push origin', true],
  ['git stash push', false],
  ['git commit -m push', false],
  ['git log push', false],
])('the subcommand of %j stands behind options only: push %s', (command, expected) => {
  expect(met(command, { programs: ['git'], subcommand: ['push'] }).length > 0).toBe(expected);
});

test('a word with wildcards matches the names that it can stand for, a quoted one only itself', () => {
  expect(met('cat .e?v', { paths: ['.env'] })).toHaveLength(1);
  expect(met("cat '.e?v'", { paths: ['.env'] })).toEqual([]);
  expect(met('cat *', { paths: ['.env'] })).toEqual([]);
  expect(met('cat *', { paths: ['\\*'] })).toHaveLength(1);
  expect(met("cat '*'", { paths: ['\\*'] })).toEqual([]);
});

test.each([
  ['cat ./a/../.env', '.env'],
  ['cd src && cat ../.env', '.env'],
  ['(cd src); cat .env', '.env'],
  ['cat --file=.env', '.env'],
  ['cat < .env', '.env'],
  ['cat /workspace//.env', '.env'],
  ['cat $HOME/x', '~/x'],
  ['cat /home/agent/x', '~/x'],
  ['cat ../etc/x', '/etc/x'],
])('%j names the path %s', (command, path) => {
  expect(met(command, { paths: [path] })).toHaveLength(1);
  expect(met(command, { paths: [path], except: [path] })).toEqual([]);
});

test('what only the shell will know is no path, but what is known of it is', () => {
  expect(met('read d; cat "$d/x"', { paths: ['x', '/x'] })).toEqual([]);
  expect(met('read d; cat "/etc/$d/x"', { paths: ['/etc/**'] })).toHaveLength(1);
});

test('a redirection counts by what it writes', () => {
  const rule = { writesTo: ['out/*'] };
  for (const command of ['x > out/a', 'x >> out/a', 'x &> out/a', '> out/a', '{ x; } > out/a', 'x 2>| out/a']) {
    expect(met(command, rule)).toHaveLength(1);
  }
  for (const command of ['x < out/a', 'x out/a', 'x 2>&1', "echo '> out/a'"]) expect(met(command, rule)).toEqual([]);
});

test('a text rule counts in addition to the rest of its rule, or for the whole call', () => {
  expect(met('psql -c "drop table x"', { programs: ['psql'], text: '(?i)DROP' })).toHaveLength(1);
  expect(met('echo "drop table x"', { programs: ['psql'], text: '(?i)DROP' })).toEqual([]);
  expect(met('echo "drop table x"', { text: '(?i)DROP' })).toHaveLength(1);
});

test('a rule that allows one command allows that one only', () => {
  const rules: CommandRule[] = [
    { id: 'it', reason: 'Tests.', verdict: 'allow', programs: ['npm'], subcommand: ['test'] },
  ];
  const strict = { default: 'deny' as const, unclear: 'deny' as const, rules };
  const rest = (command: string) =>
    judgeCommand(strict, command).matches.flatMap(({ rule, subject }) =>
      rule === 'commands.default' ? [subject] : [],
    );
  expect(rest('npm test')).toEqual([]);
  expect(rest('CI=1 timeout 60 env A=b npm test')).toEqual([]);
  expect(rest("sh -c 'npm test && npm test -- --all'")).toEqual([]);
  expect(rest('npm test; curl x')).toEqual(['curl']);
  expect(rest('npm test $(id)')).toEqual(['id']);
  expect(rest('env npm test > report')).toEqual([]);
  expect(rest('> report')).toEqual(['']);
  expect(rest('sudo npm test')).toEqual(['sudo']);
  expect(rest('npm run x')).toEqual(['npm']);
});

test('what "for this run" covers is the part that the rule asks for', () => {
  expect(met('git -C a push origin main', { programs: ['git'], subcommand: ['push'] })).toMatchObject([
    { subject: 'git push', detail: 'git -C a push origin main' },
  ]);
  expect(met('rm -rf x', remove)).toMatchObject([{ subject: 'rm -r -f' }]);
  expect(met('rm -rf x', { ...remove, paths: ['x'] })).toMatchObject([{ subject: 'rm -rf x' }]);
});

test('however many commands meet a rule, those that are not told one by one are told as the whole text', () => {
  const command = Array.from({ length: 30 }, (_, index) => `rm ${index}`).join('; ');
  const subjects = met(command, { programs: ['rm'], operands: ['*'] }).map(({ subject }) => subject);
  expect(subjects).toHaveLength(9);
  expect(subjects.at(-1)).toBe(command);
});

test('words that may name files come with their program, their folder and what is done with them', () => {
  const { words } = judge('cat a; cd sub && X=y; A=b env cat -n "a b" --file=c < d > "$X"', {});
  const place = { folder: '/workspace/sub' };
  expect(words).toEqual([
    { text: 'a', program: 'cat', command: 0 },
    { text: 'sub', program: 'cd', command: 1 },
    { text: 'd', redirection: 'read', command: 3, ...place },
    { text: 'y', redirection: 'write', command: 3, ...place },
    { text: 'a b', program: 'cat', command: 4, ...place },
    { text: 'c', program: 'cat', command: 4, ...place },
  ]);
});

test('a rule that goes by text or variables asks about the command as a whole', () => {
  const script = 'python3 -c "rmtree(1)"';
  const subject = 'python3 -c "rmtree(1)"';
  expect(met(script, { programs: ['python3'], text: 'rmtree' })).toMatchObject([{ subject }]);
  expect(met('LD_PRELOAD=x ls -l', { sets: ['LD_PRELOAD'] })).toMatchObject([{ subject: 'LD_PRELOAD=… ls -l' }]);
});

test.each([
  ['too many words', `cat ${'a '.repeat(9_000)}`],
  ['too many backquotes', '`'.repeat(60_001)],
  ['too many commands', `${'a|'.repeat(20_000)}a`],
])('a text of %s is unclear, and found to be in no time', (why, command) => {
  const started = performance.now();
  expect(met(command, { programs: ['rm'] })).toEqual([]);
  expect(judge(command, { programs: ['rm'] }).matches[0]).toMatchObject({
    rule: 'commands.unclear',
    reason: expect.stringContaining(why),
  });
  // Their cost does not grow with the square of their length.
  expect(performance.now() - started).toBeLessThan(2_500);
});
