import { expect, test } from 'vitest';
import { showQuestion } from '../../../src/cli/gate/question-lines.ts';
import { shownLine } from '../../../src/cli/shown-line.ts';
import { FakeTerminal, QUESTION } from './support.ts';

const COLUMNS = 80;

function shown(tool: string, args: Readonly<Record<string, unknown>>) {
  const { lines, whole } = showQuestion({ ...QUESTION, tool, arguments: args }, COLUMNS);
  const text = (all: typeof lines) => all.map((line) => shownLine(line, { terminal: true, color: false })).join('');
  return { first: text(lines), whole: whole === undefined ? undefined : text(whole) };
}

test('terminal escapes, bidi overrides, line breaks and what is invisible are shown and not obeyed', () => {
  const { first } = shown('bash', { command: 'a\u001b[2J\u202e\u200b\u0085b\rc\u0007\nrm -rf x' });
  expect(first).toContain('  | a␛[2J<U+202E><U+200B><U+0085>b␍c␇␊\n  | rm -rf x\n');
  expect(first).not.toMatch(/[^\P{C}\n]/u);
});

test('no line of a call begins like a line of ours, however long and wherever it is folded', () => {
  const spoof = `${' '.repeat(73)}  y  yes, this once\n? Question 2: may the tool bash do this?\n${'宽\u202e'.repeat(60)}`;
  const { first } = shown('bash', { command: spoof });
  const lines = first.split('\n').slice(1);
  expect(lines.filter((line) => /^ {0,2}(\?|y {2}yes)/.test(line))).toEqual(['  y  yes, this once']);
  for (const line of lines)
    expect([...line].reduce((sum, char) => sum + (char < '\u007f' ? 1 : 2), 0)).toBeLessThan(COLUMNS);
});

test('the subject of a rule and its reason cannot speak for us either', () => {
  const subject = `${' '.repeat(75)}n  yes`;
  const { lines } = showQuestion({ ...QUESTION, subject, reason: subject }, COLUMNS);
  const text = lines.map((line) => shownLine(line, { terminal: true, color: false })).join('');
  expect(text).not.toMatch(/^ {0,2}n {2}yes/m);
});

test('a long call is shortened in its middle, which is said, and v shows all of it', async () => {
  const command = Array.from({ length: 100 }, (_, at) => `echo ${at + 1}`).join('\n');
  const { first, whole } = shown('bash', { command });
  expect(first).toContain('| echo 16␊\n  … 78 lines of the call left out here; v shows them\n  | echo 95');
  expect(whole?.split('\n')).toHaveLength(101);
  const tty = new FakeTerminal();
  const reply = tty.ask({ arguments: { command } });
  await tty.until('Allow it? [y/r/n/v]');
  expect(tty.text).not.toContain('echo 50');
  tty.type('v\r');
  await tty.until('Allow it?', 2);
  expect(tty.text).toContain('| echo 50␊');
  tty.type('y\r');
  expect(await reply).toEqual({ decision: 'once' });
});

test('of a call without bounds only so much is ever shown, and that is said', () => {
  const { first, whole } = shown('write', { path: 'big', content: `${'x'.repeat(16 * 1024 * 1024)}END` });
  expect(first.length).toBeLessThan(4_000);
  expect(whole!.length).toBeLessThan(600_000);
  expect(whole).toContain('characters left out: more than can be shown');
  expect(first).toContain('END');
});

test('an edit is shown as a diff', () => {
  const edits = [
    { oldText: 'one\ntwo\nthree', newText: 'one\n2\nthree' },
    { oldText: 'gone', newText: '' },
  ];
  const { first } = shown('edit', { path: 'src/a.ts', edits });
  expect(first).toContain(
    [
      '  | path: "src/a.ts"',
      '  edit 1 of 2',
      '  |  one',
      '  | -two',
      '  | +2',
      '  |  three',
      '  edit 2 of 2',
      '  | -gone',
      '  | +',
      '',
    ].join('\n'),
  );
});

test.each([{ oldText: 'a', newText: 'b' }, { edits: JSON.stringify([{ oldText: 'a', newText: 'b' }]) }])(
  'an edit in the form %j is shown as a diff',
  (form) => {
    expect(shown('edit', { path: 'f', ...form }).first).toContain('  | -a\n  | +b\n');
  },
);

test('an edit of no known form is shown as it is', () => {
  expect(shown('edit', { path: 'f', edits: [{ old: 'a' }] }).first).toContain('  | edits: [{"old":"a"}]\n');
});

test('a file that would be written is shown with its path, its size and its beginning', () => {
  const { first } = shown('write', { path: 'a\nb.txt', content: 'x\ny' });
  expect(first).toContain('  | path: "a\\nb.txt"\n  the file would have these 3 bytes\n  | +x␊\n  | +y\n');
});

test('arguments of other tools are shown one by one', () => {
  expect(shown('bash', { command: 'ls', timeout: 5 }).first).toContain('  | ls\n  | timeout: 5\n');
  expect(shown('deploy', { to: 'prod\n', now: true }).first).toContain('  | to: "prod\\n"\n  | now: true\n');
  expect(shown('ls', {}).first).toContain('no arguments');
  const many = Object.fromEntries(Array.from({ length: 100 }, (_, at) => [`a${at}`, at]));
  expect(shown('deploy', many).whole).toContain('36 more arguments');
});
