import { foundBy, RUNS } from './listed-by.ts';
import { type FormRun, type Nature, NO_INPUT } from './reading.ts';
import { type Field, literal } from './types.ts';

/** `find`: what it runs for each file, and `-delete` as the removal that it is. */
export function findNature(args: readonly Field[], run: FormRun): Nature | undefined {
  const commands = executed(args);
  const deletes = args.some(({ text }) => text === '-delete');
  if (commands.length === 0 && !deletes) return undefined;
  const found = foundBy(args);
  const inside = () => {
    const inside = { ...run, redirections: [], assigned: [], input: NO_INPUT };
    if (deletes) run.reading.steps.form([literal('rm'), literal('-rf'), literal('--'), ...found], inside);
    for (const { words, inFolder } of commands) {
      const state = run.state.fork();
      if (inFolder) state.folder = undefined;
      run.reading.steps.form(
        words.flatMap((word) => (word.text === '{}' ? found : [within(word)])),
        { ...inside, state },
      );
    }
  };
  return { transparent: !deletes, inside };
}

interface Executed {
  readonly words: readonly Field[];
  readonly inFolder: boolean;
}

function executed(args: readonly Field[]): readonly Executed[] {
  return args.flatMap(({ text }, index) => {
    if (!RUNS.test(text)) return [];
    const rest = args.slice(index + 1);
    const end = rest.findIndex(
      (field, place) => field.text === ';' || (field.text === '+' && rest[place - 1]?.text === '{}'),
    );
    return [{ words: end === -1 ? rest : rest.slice(0, end), inFolder: text.endsWith('dir') }];
  });
}

/** `{}` inside of a longer word is replaced too. */
function within(word: Field): Field {
  return word.text.includes('{}') && !/\s/.test(word.text) ? { ...word, known: false } : word;
}
