import { rulePath } from './shell/paths.ts';
import type { Field, ShellPlace, SimpleCommand } from './shell/types.ts';

/** A simple command as rules see it: options, other words and paths apart. All words are patterns as in a field. */
export interface ReadCommand {
  readonly program: string;
  /** Words such as `-rf` also as `-r` and `-f`. */
  readonly options: readonly string[];
  readonly operands: readonly string[];
  /** How many of the first operands may be values of options. */
  readonly skippable: number;
  readonly paths: readonly string[];
  readonly writes: readonly string[];
  readonly afterPipe: boolean;
  readonly runsInput: boolean;
  readonly fedBy: readonly string[];
  readonly sets: readonly string[];
}

/** Options of one dash and a whole word; their letters mean nothing. */
const WORD_OPTIONS =
  /^(find|java|javac|openssl|ffmpeg|terraform|go|xset|gcc|cc|g\+\+|clang|convert|magick|tmux|php|npm)$/;
/** Options that take the next word; where a program is not here, its operands may be values of options. */
const WITH_VALUE: Readonly<Record<string, RegExp | undefined>> = {
  __proto__: null as never,
  git: /^(-C|-c|--git-dir|--work-tree|--namespace|--exec-path|--super-prefix|--config-env|-m|--message)$/,
  rm: /^$/,
  chmod: /^--reference$/,
  npm: /^(--prefix|-w|--workspace|--registry|-C|--tag|--otp|--access|--loglevel|--cache|--userconfig)$/,
};

/** Takes the words of a command apart. */
export function readOptions(command: SimpleCommand, place: ShellPlace): ReadCommand {
  const { program, args, redirections, folder } = command;
  const options: string[] = [];
  const operands: Field[] = [];
  const values: Field[] = [];
  const takesValue = WITH_VALUE[program];
  let ended = false;
  let skippable = 0;
  for (const [index, field] of args.entries()) {
    const { text, pattern } = field;
    const before = args[index - 1]?.text ?? '';
    const afterOption = !ended && before !== '--' && /^-./.test(before);
    if (!ended && text === '--') ended = true;
    else if (!ended && /^-./.test(text)) options.push(text);
    else if (afterOption && takesValue?.test(before)) values.push(field);
    else {
      if (afterOption && takesValue === undefined && skippable === operands.length) skippable++;
      operands.push(field);
    }
    const value = /^[\w-]+=(.+)$/s.exec(pattern)?.[1];
    if (value !== undefined) values.push({ ...field, pattern: value });
  }
  // An empty word is no path: `rm -rf ""` removes nothing.
  const pathOf = ({ pattern }: Field) => (pattern === '' ? [] : (rulePath(pattern, folder, place) ?? []));
  const targets = redirections.filter(({ writes }) => writes).map(({ target }) => target);
  return {
    ...command,
    options: spread(program, options),
    operands: operands.map(({ pattern }) => pattern),
    skippable,
    paths: [...operands, ...values, ...redirections.map(({ target }) => target)].flatMap(pathOf),
    writes: targets.flatMap(pathOf),
  };
}

function spread(program: string, options: readonly string[]): readonly string[] {
  return options.flatMap((option) => {
    const group = /^-[A-Za-z0-9]{2,}$/.test(option) && !WORD_OPTIONS.test(program);
    return group ? [option, ...[...option.slice(1)].map((letter) => `-${letter}`)] : [option];
  });
}
