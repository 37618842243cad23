import { parseShell } from './grammar.ts';
import type { FormRun, Nature } from './reading.ts';
import { NO_INPUT } from './reading.ts';
import type { ShellState } from './state.ts';
import { type Field, UNKNOWN } from './types.ts';

const SHELLS = /^(ba|da|a|z|k|mk|pdk|tc|c|fi|r|rba)?sh$/;
/** Interpreters of other languages, with the options that program text follows. */
const OTHERS: readonly (readonly [RegExp, RegExp])[] = [
  [/^(python|pypy)[\d.]*$/, /^-[a-zA-Z]*[cm]$/],
  [/^(node|nodejs|bun|deno)$/, /^(-e|-p|-pe|--eval|--print|eval)$/],
  [/^(perl|ruby)[\d.]*$/, /^-[a-zA-Z0-9]*[eE]$/],
  [/^(php)[\d.]*$/, /^-[rf]$/],
  [/^(lua|luajit|Rscript|osascript|tclsh|guile)[\d.]*$/, /^-e$/],
];

/** Programs whose own program is in the file of `-f`. */
const FILE_OPTION = /^(g?make|[gm]?awk|sed)$/;

/** Shells and other interpreters: where their program comes from. Undefined for all other programs. */
export function runsCode(name: string, args: readonly Field[], run: FormRun): Nature | undefined {
  if (SHELLS.test(name)) return shell(args, run);
  if (FILE_OPTION.test(name)) return fromFile(args, run);
  const other = OTHERS.find(([names]) => names.test(name));
  return other && interpreter(args, other[1], run);
}

/** Text that is read as a script of its own; with what it would find in the shell that it is in. */
export function runText(text: string, run: Pick<FormRun, 'reading' | 'input'>, state: ShellState): void {
  run.reading.budget.parse(text.length);
  run.reading.steps.script(parseShell(text), { reading: run.reading, state, input: run.input });
}

function shell(args: readonly Field[], run: FormRun): Nature {
  let code = false;
  let at = 0;
  for (; at < args.length; at++) {
    const { text } = args[at]!;
    if (text === '--') {
      at++;
      break;
    }
    if (!/^[-+]./.test(text)) break;
    if (text === '--rcfile' || text === '--init-file' || /^[-+][a-zA-Z]*[oO]$/.test(text)) at++;
    else if (/^-[a-zA-Z]+$/.test(text) && text.includes('c')) code = true;
    else if (/^-[a-zA-Z]*s[a-zA-Z]*$/.test(text)) return fromInput(run, args.slice(at + 1));
  }
  const [first, ...rest] = args.slice(at);
  if (first === undefined) return fromInput(run, []);
  if (!code) return isInput(first) ? fromInput(run, rest) : {};
  const runsInput = first.pattern === UNKNOWN;
  const inside = () => {
    const inside = run.state.fork();
    inside.foreign ||= !first.known;
    [inside.name, inside.positional] = [rest[0]?.text ?? 'bash', rest.slice(1)];
    runText(first.text, run, inside);
  };
  return { transparent: true, runsInput, inside };
}

/** A shell that reads its commands: from the call itself where that is what it reads. */
function fromInput(run: FormRun, positional: readonly Field[]): Nature {
  const { text, afterPipe, fedBy } = run.input;
  if (text === undefined) return { runsInput: afterPipe || fedBy.length > 0 || run.inWords.length > 0 };
  const inside = () => {
    const inside = run.state.fork();
    inside.positional = positional;
    runText(text, { reading: run.reading, input: NO_INPUT }, inside);
  };
  return { transparent: true, inside };
}

function interpreter(args: readonly Field[], codeOption: RegExp, { input, inWords }: FormRun): Nature {
  // Text that stands in the call is as visible as that of a heredoc.
  const piped = input.afterPipe && input.text === undefined;
  const option = args.findIndex(({ text }) => codeOption.test(text));
  if (option !== -1) return { runsInput: args[option + 1]?.pattern === UNKNOWN };
  const script = args.find(({ text }) => text === '-' || !text.startsWith('-'));
  if (script !== undefined) return { runsInput: isInput(script) && (piped || inWords.length > 0) };
  const asks = args.some(({ text }) => /^(-V|-v|-h|--version|--help|--test)$/.test(text));
  return { runsInput: !asks && piped };
}

function fromFile(args: readonly Field[], { input }: FormRun): Nature {
  const fromInput = args.some(
    (field, at) => (args[at - 1]?.text === '-f' && isInput(field)) || /^-f(-|\/dev\/stdin)$/.test(field.text),
  );
  return { runsInput: fromInput && input.afterPipe && input.text === undefined };
}

function isInput({ text }: Field): boolean {
  return text === '-' || text === '/dev/stdin' || /^\/(dev|proc\/self)\/fd\/\d+$/.test(text);
}
