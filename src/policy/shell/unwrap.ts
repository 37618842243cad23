import { findNature } from './find.ts';
import { quoted } from './follow.ts';
import { absolutePath } from './paths.ts';
import type { FormRun, Nature } from './reading.ts';
import { NO_INPUT } from './reading.ts';
import { runText } from './shells.ts';
import { type Field, literal, UNKNOWN } from './types.ts';
import { WRAPPERS, type Wrapper } from './wrappers.ts';
import { xargs } from './xargs.ts';

const PYTHON = /^(python|pypy)[\d.]*$/;

/** Programs that run another command that is among their words. Undefined for all others. */
export function unwrap(name: string, args: readonly Field[], run: FormRun): Nature | undefined {
  if (name === 'find') return findNature(args, run);
  if (name === 'xargs' || name === 'parallel') return xargs(name, args, run);
  if (name === 'fd' || name === 'fdfind') return afterOption(/^(-x|-X|--exec|--exec-batch)$/, args, run);
  if (PYTHON.test(name)) return afterOption(/^-m$/, args, run);
  if (name === 'git') {
    const nature = gitTexts(args, run);
    if (nature !== undefined) return nature;
  }
  for (const wrapper of WRAPPERS[name] ?? []) {
    const nature = unwrapBy(wrapper, args, run);
    if (nature !== undefined) return nature;
  }
  return undefined;
}

function unwrapBy(wrapper: Wrapper, args: readonly Field[], run: FormRun): Nature | undefined {
  const after = wrapper.after === undefined ? 0 : firstAfter(wrapper, args);
  if (after === undefined) return undefined;
  const own = ownWords(wrapper, args, after);
  const transparent = wrapper.opaque !== true;
  if (own.code !== undefined) {
    const { code } = own;
    return { transparent, sets: own.sets, inside: () => runText(code, run, run.state.fork()) };
  }
  const inner = args.slice(own.end);
  if (inner.length === 0) return undefined;
  const folder = own.folder === undefined ? run.state.folder : absolutePath(own.folder.pattern, run.state.folder);
  const inside = () => {
    const state = run.state.fork();
    state.folder = folder;
    if (wrapper.joined) return runText(inner.map(({ text }) => text).join(' '), run, state);
    const sets = [...run.sets, ...own.sets];
    run.reading.steps.form(inner, { ...run, state, redirections: [], sets, assigned: [], isProgram: true });
  };
  return { transparent, sets: own.sets, inside };
}

/** Place after the words that make a program a wrapper. */
function firstAfter(wrapper: Wrapper, args: readonly Field[]): number | undefined {
  const { end } = ownWords({ ...wrapper, operands: 0 }, args, 0);
  return wrapper.after
    ?.map((words) => words.split(' '))
    .filter((words) => words.every((word, index) => args[end + index]?.text === word))
    .map((words) => end + words.length)[0];
}

interface OwnWords {
  /** Place of the first word of the command. */
  readonly end: number;
  readonly sets: readonly string[];
  readonly code?: string;
  readonly folder?: Field;
}

function ownWords(wrapper: Wrapper, args: readonly Field[], start: number): OwnWords {
  const sets: string[] = [];
  let operands = wrapper.operands ?? 0;
  let folder: Field | undefined;
  let code: Field | undefined;
  let at = start;
  let options = true;
  for (; at < args.length; at++) {
    const { text } = args[at]!;
    if (options && text === '--') options = false;
    else if (options && /^-./.test(text)) {
      const option = optionOf(wrapper, text);
      const value = option.attached === undefined && option.takes ? args[++at] : option.attached;
      if (option.code) code = value;
      if (option.letter === 'C' || text === '--chdir') folder = value;
    } else if (wrapper.assigns && options && text === '-') options = true;
    else if (wrapper.assigns && /^[A-Za-z_]\w*=/.test(text)) sets.push(text.slice(0, text.indexOf('=')));
    else if (operands > 0) operands--;
    else break;
  }
  const rest = code && args.slice(at).map(quoted).join(' ');
  return { end: at, sets, ...(folder && { folder }), ...(code && { code: `${code.text} ${rest}`.trim() }) };
}

interface Option {
  readonly takes: boolean;
  readonly code: boolean;
  readonly letter?: string;
  readonly attached?: Field;
}

/** Reads one option word: in a group such as `-kn5` the first letter that takes a value has the rest. */
function optionOf({ values = '', long = [], code = '' }: Wrapper, text: string): Option {
  if (text.startsWith('--')) {
    const [name, ...value] = text.split('=');
    const isCode = name === '--command' || name === '--split-string' || name === '--call';
    return {
      takes: long.includes(name!) || isCode,
      code: isCode && code !== '',
      ...(value.length > 0 && { attached: literal(value.join('=')) }),
    };
  }
  for (const [index, letter] of [...text.slice(1)].entries()) {
    if (!(values + code).includes(letter)) continue;
    const rest = text.slice(index + 2);
    return { takes: true, code: code.includes(letter), letter, ...(rest !== '' && { attached: literal(rest) }) };
  }
  return { takes: false, code: false };
}

function afterOption(option: RegExp, args: readonly Field[], run: FormRun): Nature | undefined {
  const at = args.findIndex(({ text }) => option.test(text));
  if (at === -1 || at + 1 >= args.length) return undefined;
  return {
    inside: () =>
      run.reading.steps.form(args.slice(at + 1), { ...run, redirections: [], assigned: [], input: NO_INPUT }),
  };
}

/** Shell text in options of git: an alias for one command, and what a rebase runs. */
function gitTexts(args: readonly Field[], run: FormRun): Nature | undefined {
  const verb = args.find(({ text }, index) => !/^-./.test(text) && !/^-[cC]$/.test(args[index - 1]?.text ?? ''));
  if (verb?.pattern.startsWith(UNKNOWN)) run.reading.doubt('what git is to do is known to the shell only:', verb.text);
  const aliases = args.flatMap(({ text }, index) =>
    args[index - 1]?.text === '-c' ? (/^alias\.[^=]+=(.*)$/s.exec(text)?.[1] ?? []) : [],
  );
  const execs = args.flatMap(({ text }, index) => {
    if (args[index - 1]?.text === '-x' || args[index - 1]?.text === '--exec') return [text];
    return /^--exec=(.*)$/s.exec(text)?.[1] ?? [];
  });
  const texts = [
    ...aliases.map((text) => (text.startsWith('!') ? text.slice(1) : `git ${text}`)),
    ...(args.some(({ text }) => text === 'rebase') ? execs : []),
  ];
  if (texts.length === 0) return undefined;
  const rest = aliases.length > 0 ? ` ${args.slice(3).map(quoted).join(' ')}` : '';
  return {
    inside: () => {
      for (const text of texts) runText(text + rest, run, run.state.fork());
    },
  };
}
