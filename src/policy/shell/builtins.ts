import { assign } from './assign.ts';
import { printed } from './output-of.ts';
import { absolutePath } from './paths.ts';
import type { FormRun, Nature } from './reading.ts';
import { NO_INPUT } from './reading.ts';
import { runText } from './shells.ts';
import { type Field, literal, UNKNOWN } from './types.ts';

/** Lines of an input that are told apart. */
const MAX_LINES = 16;

type Builtin = (args: readonly Field[], run: FormRun) => Nature;

/** Builtins of the shell that change what later words mean, or that run text. */
export const BUILTINS: Readonly<Record<string, Builtin | undefined>> = {
  __proto__: null as never,
  cd: changeFolder,
  pushd: changeFolder,
  popd: (_, { state }) => {
    state.folder = undefined;
    return {};
  },
  export: declare,
  declare,
  local: declare,
  readonly: declare,
  typeset: declare,
  set: (args, { state }) => {
    const from = args.findIndex(({ text }) => text === '--');
    const plain = from === -1 && args.length > 0 && !/^[-+]/.test(args[0]!.text);
    if (from !== -1 || plain) state.positional = state.conditional > 0 ? undefined : args.slice(from + 1);
    return {};
  },
  shift: ([count], { state }) => {
    const by = count === undefined ? 1 : Number(count.text);
    state.positional = state.conditional > 0 || !Number.isInteger(by) ? undefined : state.positional?.slice(by);
    return {};
  },
  unset: (args, { state }) => {
    for (const { text } of args) state.unset(text);
    return {};
  },
  read,
  mapfile: names,
  readarray: names,
  getopts: names,
  let: names,
  printf: printInto,
  alias: (args, { state }) => {
    for (const { text } of args) {
      const equals = text.indexOf('=');
      if (equals > 0) state.aliases.set(text.slice(0, equals), text.slice(equals + 1));
    }
    return {};
  },
  source: sourced,
  '.': sourced,
  eval: (args, run) => {
    const text = args.map((field) => field.text).join(' ');
    const opaque = args.some(({ pattern }) => pattern.startsWith(UNKNOWN));
    const inside = () => {
      if (opaque) run.reading.doubt('it runs text that is known to the shell only:', text);
      run.state.foreign ||= args.some(({ known }) => !known);
      runText(text, run, run.state);
    };
    return { transparent: true, runsInput: opaque, inside };
  },
  trap: (args, run) => {
    const code = args.find(({ text }) => text !== '--');
    if (code === undefined || /^-/.test(code.text)) return {};
    return { transparent: true, inside: () => runText(code.text, run, run.state.fork()) };
  },
};

function changeFolder(args: readonly Field[], { state }: FormRun): Nature {
  const target = args.find(({ text }) => text === '-' || !/^-/.test(text));
  const { folder, folderBefore } = state;
  if (target === undefined) state.folder = state.place.home;
  else if (target.text === '-') state.folder = folderBefore;
  else if (/^[+-]\d+$/.test(target.text)) state.folder = undefined;
  else state.folder = absolutePath(target.pattern, folder);
  state.folderBefore = folder;
  return {};
}

/** `export A=b`, `local a`, `declare -a x=(1 2)`. */
function declare(args: readonly Field[], { assigned, expander }: FormRun): Nature {
  for (const part of assigned) assign(part, expander);
  const named = args.flatMap(({ text }) => /^([A-Za-z_]\w*)/.exec(text)?.slice(1, 2) ?? []);
  const set = new Set(assigned.map(({ name }) => name));
  for (const { text } of args) {
    // Only known after expansion: export "$NAME=value".
    const [, name, value] = /^([A-Za-z_]\w*)=(.*)$/s.exec(text) ?? [];
    if (name !== undefined && !set.has(name)) {
      expander.state.assign(name, [
        [{ text: value ?? '', pattern: (value ?? '').replace(/[*?[\\~]/g, '\\$&'), known: true }],
      ]);
    }
  }
  return { sets: named };
}

/** Variables that get a value that only the shell will know. */
function names(args: readonly Field[], { state }: FormRun): Nature {
  for (const { text } of args) {
    const name = /^[A-Za-z_]\w*/.exec(text)?.[0];
    if (name !== undefined) state.assign(name, undefined);
  }
  return {};
}

/** `printf -v name format ...` */
function printInto([option, name, ...args]: readonly Field[], run: FormRun): Nature {
  if (option?.text !== '-v' || name === undefined) return {};
  const text = args.every(({ known }) => known) ? printed(args.map((field) => field.text)) : undefined;
  if (text === undefined || !/^\w+$/.test(name.text)) return names([name], run);
  run.state.assign(name.text, [[literal(text)]]);
  return {};
}

/** `read`: the lines that the call holds or that a listing makes, where they go into one variable. */
function read(args: readonly Field[], run: FormRun): Nature {
  const { text, words } = run.input;
  const variables = args.filter(({ text: word }) => /^[A-Za-z_]\w*$/.test(word));
  const [name] = variables;
  const lines =
    text?.split('\n', MAX_LINES + 1).map(literal) ?? words?.map((word) => ({ ...word, listed: true as const }));
  if (variables.length !== 1 || name === undefined || lines === undefined || lines.length > MAX_LINES) {
    return names(args, run);
  }
  run.state.assign(
    name.text,
    lines.map((line) => [line]),
  );
  return {};
}

/** A file, or what another program writes: it may set any variable. */
function sourced([file]: readonly Field[], run: FormRun): Nature {
  run.state.foreign = true;
  const { text } = run.input;
  if (file !== undefined && text !== undefined && /^\/dev\/(stdin|fd\/0)$/.test(file.text)) {
    return { transparent: true, inside: () => runText(text, { ...run, input: NO_INPUT }, run.state) };
  }
  const piped = file !== undefined && (file.text === '/dev/stdin' || file.text.startsWith('/dev/fd/'));
  return { runsInput: piped && (run.inWords.length > 0 || run.input.afterPipe) };
}
