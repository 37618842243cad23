import type { Assignment, Command, Redirection as RedirectionNode, Word } from 'unbash';
import { assign } from './assign.ts';
import { Expander } from './expand.ts';
import { inputText } from './output-of.ts';
import type { Input, Run } from './reading.ts';
import type { Redirection } from './types.ts';

/** One simple command: what is inside of its words, then each form that it can have. */
export function simpleCommand(command: Command, run: Run): void {
  const { state, reading } = run;
  const feeding = { ...run, input: { afterPipe: true, fedBy: [...run.input.fedBy, command.name?.value ?? ''] } };
  const inWords = reading.programsOf(() => {
    for (const word of [command.name, ...command.prefix, ...command.args])
      if (word !== undefined) reading.steps.node(word, feeding);
  });
  const inRedirections = reading.programsOf(() => {
    for (const part of command.redirects) reading.steps.node(part, feeding);
  });
  const assignments = command.prefix.filter((part) => part.type === 'Assignment');
  const words = [...(command.name === undefined ? [] : [command.name]), ...command.args.map((word) => asWord(word))];

  const known = new Expander(state, reading.budget);
  const expanders = [known, new Expander(state, reading.budget, true)];
  for (const expander of expanders) {
    if (expander !== known && !known.sawUnset) break;
    const redirections = command.redirects.flatMap((part) => redirectionsOf(part, expander));
    const input = inputOf(command.redirects, expander, run.input, inRedirections);
    const sets = assignments.map(({ name }) => name);
    for (const form of expander.forms(words)) {
      reading.steps.form(form, {
        ...run,
        input,
        redirections,
        sets,
        inWords: [...inWords, ...inRedirections],
        assigned: command.args.filter(isAssignment),
        expander,
      });
    }
  }
  // Before a program, variables are set for that program only.
  if (command.name === undefined) for (const part of assignments) assign(part, known);
}

function isAssignment(word: Word | Assignment): word is Assignment {
  return word.type === 'Assignment';
}

/** `export A=b`: the argument as the program gets it. */
function asWord(word: Word | Assignment): Word {
  if (word.type === 'Word') return word;
  const { pos, end, name, value, append } = word;
  const before = { type: 'SingleQuoted', pos, end: pos, text: '', value: `${name}${append ? '+' : ''}=` } as const;
  if (value.type === 'ArrayValue')
    return { type: 'Word', pos, end, text: word.text, value: word.text, parts: [before] };
  const parts = value.parts ?? [{ type: 'Literal', pos, end, text: value.text, value: value.value } as const];
  return { type: 'Word', pos, end, text: word.text, value: word.text, parts: [before, ...parts] };
}

function redirectionsOf(part: RedirectionNode, expander: Expander): Redirection[] {
  if (part.type !== 'Redirect' || part.target === undefined) return [];
  const writes = !/^<&?$/.test(part.operator);
  // A number or "-" behind >& is another descriptor.
  if (part.operator.endsWith('&') && /^(\d+-?|-)$/.test(part.target.value)) return [];
  return expander.fields(part.target).flatMap((fields) => fields.map((target) => ({ target, writes })));
}

function inputOf(
  parts: readonly RedirectionNode[],
  expander: Expander,
  before: Input,
  inRedirections: readonly string[],
): Input {
  const reads = parts.filter(({ type, operator }) => type !== 'Redirect' || /^<>?$/.test(operator)).at(-1);
  if (reads === undefined) return before;
  const text = inputText(parts, expander);
  return { afterPipe: inRedirections.length > 0, fedBy: inRedirections, ...(text !== undefined && { text }) };
}
