import { basename, dirname } from 'node:path/posix';
import type { Command, Redirection, Script, Word } from 'unbash';
import type { Expander } from './expand.ts';
import { baseName } from './names.ts';
import type { Field } from './types.ts';

/**
 * What a substitution writes, where that can be told without running it: `$(echo rm)`, `$(pwd)`, `$(which rm)`. Undefined
 * otherwise.
 */
export function outputOf(script: Script, expander: Expander): string | undefined {
  const [statement, ...more] = script.commands;
  if (statement === undefined || more.length > 0 || statement.command.type !== 'Command') return undefined;
  return commandOutput(statement.command, expander);
}

/** The same for a simple command. */
export function commandOutput(command: Command, expander: Expander): string | undefined {
  if (command.name === undefined || command.redirects.some(writesOut)) return undefined;
  const words = [command.name, ...command.args.filter((word): word is Word => word.type === 'Word')];
  const [form, ...more] = expander.forms(words);
  const [program, ...args] = form ?? [];
  if (program === undefined || more.length > 0 || args.some((field) => !field.known)) return undefined;
  if (command.args.some((word) => word.type !== 'Word')) return undefined;
  if (baseName(program.text) === 'cat' && args.length === 0) return inputText(command.redirects, expander);
  return textOf(baseName(program.text), args, expander);
}

/** The text that a command reads, when it stands beside it. */
export function inputText(redirections: readonly Redirection[], expander: Expander): string | undefined {
  const last = redirections.filter(({ type, operator }) => type !== 'Redirect' || operator.startsWith('<')).at(-1);
  if (last?.type === 'HereString') {
    const [value, ...more] = last.target === undefined ? [] : expander.values(last.target);
    return value?.known && more.length === 0 ? `${value.text}\n` : undefined;
  }
  if (last?.type === 'HereDoc') return expander.text(last.body.parts, last.body.text);
  return undefined;
}

function writesOut(redirection: Redirection): boolean {
  if (redirection.type !== 'Redirect' || redirection.operator.startsWith('<')) return false;
  return (
    redirection.descriptor === undefined ||
    (redirection.descriptor.type === 'FileDescriptor' && redirection.descriptor.value === 1)
  );
}

function textOf(program: string, args: readonly Field[], expander: Expander): string | undefined {
  const texts = args.map(({ text }) => text);
  switch (program) {
    case 'echo':
      return echoed(texts);
    case 'printf':
      return texts[0] === '-v' ? undefined : printed(texts[0] === '--' ? texts.slice(1) : texts);
    case 'pwd':
      return expander.state.folder;
    case 'which':
    case 'realpath':
    case 'readlink':
      return texts.findLast((text) => !text.startsWith('-'));
    case 'dirname':
      return texts.length === 1 ? dirname(texts[0]!) : undefined;
    case 'basename':
      return texts.length === 1 ? basename(texts[0]!) : undefined;
    case 'command':
      return texts[0] === '-v' ? texts[1] : undefined;
    case 'git':
      return texts.join(' ') === 'rev-parse --show-toplevel' ? expander.state.place.workspace : undefined;
    default:
      return undefined;
  }
}

function echoed(texts: readonly string[]): string {
  const options = texts.findIndex((text) => !/^-[neE]+$/.test(text));
  const shown = options === -1 ? [] : texts.slice(options);
  const flags = texts.slice(0, texts.length - shown.length).join('');
  return flags.includes('e') ? unescaped(shown.join(' ')) : shown.join(' ');
}

/** How often a format is gone through. */
const MAX_ROUNDS = 1_000;

/** `printf` with `%s`, `%b` and `%%`; undefined with anything else, and with too many values. */
export function printed([format = '', ...values]: readonly string[]): string | undefined {
  if (/%(?![sb%])/.test(format)) return undefined;
  const takes = format.match(/%[sb]/g)?.length ?? 0;
  const rounds = takes === 0 ? 1 : Math.max(1, Math.ceil(values.length / takes));
  if (rounds > MAX_ROUNDS) return undefined;
  const left = [...values];
  return Array.from({ length: rounds }, () =>
    unescaped(format).replace(/%[sb%]/g, (found) => {
      if (found === '%%') return '%';
      const value = left.shift() ?? '';
      return found === '%b' ? unescaped(value) : value;
    }),
  ).join('');
}

function unescaped(text: string): string {
  const named: Readonly<Record<string, string>> = {
    n: '\n',
    t: '\t',
    r: '\r',
    '\\': '\\',
    a: '',
    b: '',
    f: '',
    v: '',
    e: '',
  };
  return text.replace(/\\(x[0-9A-Fa-f]{1,2}|0?[0-7]{1,3}|u[0-9A-Fa-f]{1,4}|[ntrabfve\\])/g, (_, code: string) => {
    if (code[0] === 'x' || code[0] === 'u') return String.fromCharCode(Number.parseInt(code.slice(1), 16));
    return /^\d/.test(code) ? String.fromCharCode(Number.parseInt(code, 8) & 0xff) : (named[code] ?? '');
  });
}
