import type { Command, Script, Word } from 'unbash';
import type { Expander } from './expand.ts';
import { type Field, literal, unknown } from './types.ts';

/** Tests of find that leave everything, or nearly so. */
const WIDE =
  /^-(type|depth|mindepth|maxdepth|xdev|mount|print|print0|delete|noleaf|follow|warn|nowarn|ignore_readdir_race|true|o|or|a|and)$/;
const TAKES_VALUE = /^-(type|mindepth|maxdepth)$/;

/** Options of find that a command follows. */
export const RUNS = /^-(exec|execdir|ok|okdir)$/;

/** Names that a command lists when it lists all there is: `ls`, `find`, `git ls-files`. Undefined for all others. */
export function listedBy(command: Command, expander: Expander): readonly Field[] | undefined {
  const words = [command.name, ...command.args].filter((word): word is Word => word?.type === 'Word');
  const [program, ...args] = expander.forms(words)[0] ?? [];
  const texts = args.map(({ text }) => text).filter((text) => !/^-/.test(text));
  if (program?.text === 'find') return foundBy(args);
  if (program?.text === 'ls') return texts.length === 0 ? [literal('*')] : undefined;
  if (program?.text === 'git') return listsAllKept(args) ? [literal('*')] : undefined;
  return undefined;
}

/** The names in a substitution: `rm $(ls)`. */
export function listedIn(script: Script | undefined, expander: Expander): readonly Field[] | undefined {
  const [statement, ...more] = script?.commands ?? [];
  if (statement === undefined || more.length > 0 || statement.command.type !== 'Command') return undefined;
  return listedBy(statement.command, expander)?.map((field) => ({ ...field, listed: true as const }));
}

/** `git ls-files`, and not only of what is changed, removed or unknown. */
function listsAllKept(args: readonly Field[]): boolean {
  const [command, ...options] = args;
  return (
    command?.text === 'ls-files' && options.every(({ text }) => /^(-z|-c|--cached|-s|--stage|--full-name)$/.test(text))
  );
}

function isNot(text: string | undefined): boolean {
  return text === '!' || text === '-not';
}

/** What a find hands over: where it starts, when it takes everything there. */
export function foundBy(args: readonly Field[]): readonly Field[] {
  const first = args.findIndex(({ text }) => /^(-(?![HLPDO])|\(|!)/.test(text));
  const starts = (first === -1 ? args : args.slice(0, first)).filter(({ text }) => !/^-[HLPDO]/.test(text));
  const tests = first === -1 ? [] : args.slice(first);
  const end = tests.findIndex(({ text }) => RUNS.test(text));
  const narrow = (end === -1 ? tests : tests.slice(0, end)).some(({ text }, index, all) => {
    const before = all[index - 1]?.text ?? '';
    // What is left out leaves the rest.
    if (isNot(text) || isNot(before) || isNot(all[index - 2]?.text)) return false;
    if (/^-i?name$/.test(before)) return !/^\**$/.test(text);
    return !(WIDE.test(text) || /^-i?name$/.test(text) || TAKES_VALUE.test(before) || text === '(' || text === ')');
  });
  const where = starts.length === 0 ? [literal('.')] : starts;
  if (!narrow) return where;
  const names = tests.filter((_, index) => /^-i?name$/.test(tests[index - 1]?.text ?? ''));
  // Of a part of what is there, names are known as far as it was asked for by name.
  return where.flatMap(({ text }) =>
    names.length === 0 ? [unknown(`${text}/…`)] : names.map((name) => literal(`${text}/${name.text}`)),
  );
}
