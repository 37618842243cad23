// biome-ignore-all lint/suspicious/noTemplateCurlyInString: shell text

import fc from 'fast-check';
import { expect, test } from 'vitest';
import { judgeCommand } from '../../src/policy/judge-command.ts';
import { readCommands } from '../../src/policy/shell/read-commands.ts';
import { SHIPPED_COMMANDS } from '../../src/policy/shipped-commands.ts';
import { HARMLESS } from './commands.harmless.ts';
import { STOPPED } from './commands.stopped.ts';

const PLACE = { workspace: '/workspace', home: '/home/agent' };
const policy = { default: 'allow' as const, unclear: 'ask' as const, rules: [...SHIPPED_COMMANDS] };
/** Generous for a busy machine; texts of this length take well under a millisecond. */
const MAX_MS = 2_000;

const isStopped = (command: string) => judgeCommand(policy, command).matches.some(({ verdict }) => verdict !== 'allow');

/** Text made of what means something to a shell. */
const shellish = fc
  .array(
    fc.constantFrom(
      ...[
        'rm',
        '-rf',
        '/',
        ' ',
        '\n',
        ';',
        '|',
        '&',
        '&&',
        '(',
        ')',
        '{',
        '}',
        '$(',
        '`',
        '"',
        "'",
        "$'",
        '${',
        '}',
        '<<E\n',
        'E\n',
      ],
      ...[
        '<(',
        '>',
        '>(',
        '<<<',
        '$((',
        '))',
        '[[',
        ']]',
        'if ',
        'then ',
        'fi',
        'case x in ',
        'esac',
        'for i in ',
        'do ',
        'done',
        '\\',
      ],
      ...[
        'x=',
        '$x',
        '${x:-',
        'f(){ ',
        'f',
        'eval ',
        'sh -c ',
        'xargs ',
        'find . -exec ',
        'alias ',
        '*',
        '~',
        '{a,b}',
        '!',
        '\0',
        '#',
        'é',
      ],
    ),
    { maxLength: 60 },
  )
  .map((parts) => parts.join(''));

test('any text is judged, without an error and in time', () => {
  fc.assert(
    fc.property(fc.oneof(shellish, fc.string({ unit: 'binary', maxLength: 300 })), (text) => {
      const started = performance.now();
      judgeCommand(policy, text);
      expect(performance.now() - started).toBeLessThan(MAX_MS);
    }),
    { numRuns: 2_000 },
  );
});

const quoted = (text: string) => `'${text.replaceAll("'", `'\\''`)}'`;
const WRAPPINGS: readonly (readonly [string, (command: string) => string])[] = [
  ['sh -c', (command) => `sh -c ${quoted(command)}`],
  ['env bash -c', (command) => `env A=b bash -ec ${quoted(command)}`],
  ['( )', (command) => `(${command}\n)`],
  ['{ }', (command) => `{ ${command}\n}`],
  ['&&', (command) => `true &&\n${command}\n`],
  ['$( )', (command) => `echo "$(${command}\n)"`],
  ['backquotes', (command) => `echo \`${command.replace(/[\\`$]/g, '\\$&')}\n\``],
  ['if', (command) => `if true; then\n${command}\nfi`],
  ['a function', (command) => `g() {\n${command}\n}; g`],
  ['a pipe', (command) => `{ ${command}\n} | cat`],
  ['eval', (command) => `eval ${quoted(command)}`],
  ['heredoc', (command) => `bash <<'END_OF_IT'\n${command}\nEND_OF_IT`],
  ['trap', (command) => `trap ${quoted(command)} EXIT`],
];

test.each(WRAPPINGS)('what is stopped stays stopped in %s', (_name, wrap) => {
  expect(STOPPED.filter(([command]) => !isStopped(wrap(command))).map(([command]) => wrap(command))).toEqual([]);
});

test('what is stopped stays stopped in any two of them', () => {
  const wrapping = fc.constantFrom(...WRAPPINGS.map(([, wrap]) => wrap));
  fc.assert(
    fc.property(fc.constantFrom(...STOPPED), wrapping, wrapping, ([command], inner, outer) =>
      isStopped(outer(inner(command))),
    ),
    { numRuns: 1_000 },
  );
});

test.each([
  ['long', `echo ${'a'.repeat(70_000)}`],
  ['of many commands', 'a;'.repeat(30_000)],
  ['of nested substitutions', `${'$('.repeat(30_000)}`],
  ['of closed substitutions', `${'$(echo '.repeat(1_000)}a${')'.repeat(1_000)}`],
  ['of functions', 'f()'.repeat(20_000)],
  ['of coprocesses', 'coproc '.repeat(9_000)],
  ['of heredocs', `cat ${'<<E '.repeat(16_000)}\n`],
  ['of quotes in substitutions', '"$(`'.repeat(16_000)],
  ['of parameters', `\${a:-`.repeat(12_000)],
  ['of braces', `echo ${'{a,b}'.repeat(5_000)}`],
  ['of open braces', `echo {a,b}${'{'.repeat(60_000)}`],
  ['of words with two values', `x=1; [ a ] && x=2 || x=3; echo ${'$x '.repeat(21_000)}`],
  ['of arrays that double', `a=(1); ${'a+=("${a[@]}"); '.repeat(30)} $a`],
  ['of a list that is named often', `set -- ${'1 '.repeat(7_000)}; echo ${'$@ '.repeat(15_000)}`],
  ['of a value of many words that is named often', `x="${'1 '.repeat(7_000)}"; echo ${'$x '.repeat(15_000)}`],
  ['of a loop over much', `for i in ${'a$RANDOM '.repeat(3_000)}; do $i ${'${i#x} '.repeat(4_000)}; done`],
  ['of wildcards', `rm ${'*a'.repeat(20_000)}`],
  ['of alternatives', `${'x=$RANDOM; x+=b; '.repeat(2_000)} $x`],
  [
    'of functions that call each other twice',
    `${Array.from({ length: 40 }, (_, i) => `f${i}() { f${i + 1}; f${i + 1}; }; `).join('')} f0`,
  ],
])('a text %s ends in time, and what cannot be told is not allowed', (_name, text) => {
  const started = performance.now();
  const { unclear } = readCommands(text, PLACE);
  expect(performance.now() - started).toBeLessThan(10 * MAX_MS);
  const simple = /^(rm|echo \{)/.test(text);
  if (!simple) expect(unclear).not.toEqual([]);
});

test.each([
  ['printf', `printf '%s\\n' ${': '.repeat(1_001)} 'rm -rf /' | sh`],
  ['xargs', `printf '%s\\n' ${'a '.repeat(65)} / | xargs rm -rf`],
  ['a heredoc', `xargs rm -rf <<E\n${'a\n'.repeat(65)}/\nE\n`],
])('what stands behind the last word that is looked at is not allowed: %s', (_name, text) => {
  expect(isStopped(text)).toBe(true);
});

test('one command is judged in well under a millisecond at the 95th percentile', () => {
  const commands = [...STOPPED.map(([command]) => command), ...HARMLESS];
  // The best of some rounds: what else the machine does in between is not what is measured.
  const best = commands.map((command) =>
    Math.min(
      ...Array.from({ length: 10 }, () => {
        const started = performance.now();
        judgeCommand(policy, command);
        return performance.now() - started;
      }),
    ),
  );
  best.sort((a, b) => a - b);
  expect(best[Math.floor(best.length * 0.95)]).toBeLessThan(0.7);
});
