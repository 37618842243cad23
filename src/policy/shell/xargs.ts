import { type FormRun, type Nature, NO_INPUT } from './reading.ts';
import { runText } from './shells.ts';
import { type Field, literal, unknown } from './types.ts';

const VALUES = 'IELPdnsaJ';
const LONG = /^--(replace|max-args|max-procs|delimiter|arg-file|max-lines|jobs|colsep)$/;
/** Words of its input that are looked at. */
const MAX_WORDS = 64;

/** `xargs` and `parallel`: the command, with the words that they read where these stand in the call. */
export function xargs(name: 'xargs' | 'parallel', args: readonly Field[], run: FormRun): Nature {
  let at = 0;
  let replaced: string | undefined = name === 'parallel' ? '{}' : undefined;
  for (; at < args.length; at++) {
    const { text } = args[at]!;
    if (!/^-./.test(text)) break;
    if (text === '--') {
      at++;
      break;
    }
    const letter = text[1]!;
    if (text.startsWith('--')) {
      if (LONG.test(text)) at++;
    } else if (letter === 'I' || letter === 'i') {
      replaced = text.slice(2) || (letter === 'I' ? args[++at]?.text : '{}');
    } else if (VALUES.includes(text.at(-1)!) && text.length === 2) at++;
  }
  const lists = args.findIndex(({ text }) => /^:::/.test(text));
  const end = name === 'parallel' && lists !== -1 ? lists : args.length;
  const command = args.slice(at, end);
  const words = end < args.length ? args.slice(end + 1) : readWords(run, replaced === undefined ? /\s+/ : /\n+/);
  const inside = () => {
    if (name === 'parallel' && command.length === 1 && /\s/.test(command[0]!.text)) {
      const [{ text } = { text: '' }] = command;
      const all = words.map((word) => word.text).join(' ');
      const whole = text.includes('{}') ? text.replaceAll('{}', () => all) : `${text} ${all}`;
      return runText(whole, { ...run, input: NO_INPUT }, run.state.fork());
    }
    if (command.length === 0) {
      if (name === 'parallel')
        for (const { text } of words) runText(text, { ...run, input: NO_INPUT }, run.state.fork());
      return;
    }
    const hasPlace = replaced !== undefined && command.some(({ text }) => text.includes(replaced!));
    const form = hasPlace ? command.flatMap((word) => replace(word, replaced!, words)) : [...command, ...words];
    run.reading.steps.form(form, {
      ...run,
      redirections: [],
      assigned: [],
      input: { ...NO_INPUT, fedBy: run.input.fedBy },
    });
  };
  // Without a command, what parallel reads are commands.
  const runsInput = name === 'parallel' && command.length === 0 && words.some(({ known }) => !known);
  return { transparent: !runsInput, runsInput, inside };
}

/** What it reads: words that the call holds, or one that only the shell will know. */
function readWords({ input, reading }: FormRun, separator: RegExp): readonly Field[] {
  if (input.text === undefined) return input.words ?? [unknown('…')];
  const words = input.text
    .split(separator)
    .map((text) => text.trimStart())
    .filter((text) => text !== '');
  if (words.length > MAX_WORDS) reading.doubt('a program gets more words from its input than are looked at');
  return words.slice(0, MAX_WORDS).map(literal);
}

function replace(word: Field, place: string, words: readonly Field[]): readonly Field[] {
  if (word.text === place) return words;
  if (!word.text.includes(place)) return [word];
  return words.map((field) => {
    const put = (text: string) => text.replaceAll(place, () => field.text);
    return { text: put(word.text), pattern: put(word.pattern), known: word.known && field.known };
  });
}
