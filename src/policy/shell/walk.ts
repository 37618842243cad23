import {
  type CommandNode,
  type For,
  forEachChild,
  type Pipeline,
  type Script,
  type Select,
  type Statement,
  type SyntaxNode,
} from 'unbash';
import { Expander } from './expand.ts';
import { listedBy } from './listed-by.ts';
import { commandOutput, inputText } from './output-of.ts';
import { type Input, NO_INPUT, type Run } from './reading.ts';
import { simpleCommand } from './simple.ts';
import type { Field } from './types.ts';

/** Finds the simple commands of a script in the order in which they would run. */
export function walkScript(script: Script & { readonly errors?: readonly unknown[] | undefined }, run: Run): void {
  if (script.errors !== undefined && script.errors.length > 0) run.reading.doubt('it is not valid shell');
  for (const statement of script.commands) walkNode(statement, run);
}

type Walked = Statement | Statement['command'] | SyntaxNode;

export function walkNode(node: Walked, run: Run): void {
  run.reading.budget.node();
  run.reading.budget.below(() => walk(node, run));
}

function walk(node: Walked, run: Run): void {
  const { state } = run;
  switch (node.type) {
    case 'Statement':
      walkNode(node.command, node.background ? { ...run, state: state.fork() } : run);
      break;
    case 'Command':
      simpleCommand(node, run);
      break;
    case 'Pipeline':
      walkPipeline(node, run);
      break;
    case 'AndOr':
      for (const [index, command] of node.commands.entries()) {
        if (node.operators[index - 1] === '||') state.perhaps(() => walkNode(command, run));
        else walkNode(command, run);
      }
      break;
    case 'Subshell':
      walkNode(node.body, { ...run, state: state.fork() });
      break;
    case 'Coproc':
      walkNode(node.body, { ...run, state: state.fork(), input: NO_INPUT });
      break;
    case 'If':
      walkNode(node.clause, run);
      for (const branch of [node.then, ...node.elif, node.else]) {
        if (branch !== undefined) state.perhaps(() => walkNode(branch, run));
      }
      break;
    case 'While':
    case 'CaseItem':
    case 'ArithmeticFor':
      state.perhaps(() => forEachChild(node, (child) => walkNode(child, run)));
      break;
    case 'For':
    case 'Select':
      walkLoop(node, run);
      break;
    case 'Function':
      state.functions.set(node.name.value, node);
      break;
    case 'Redirected':
      walkRedirected(node, run);
      break;
    case 'CommandExpansion':
    case 'ArithmeticCommandExpansion':
    case 'ProcessSubstitution':
      walkSubstitution(node, run);
      break;
    default:
      forEachChild(node, (child) => walkNode(child, run));
  }
}

type Substitution = Extract<
  SyntaxNode,
  { type: 'CommandExpansion' | 'ArithmeticCommandExpansion' | 'ProcessSubstitution' }
>;

function walkSubstitution(node: Substitution, run: Run): void {
  if (node.script === undefined) return;
  run.reading.budget.parse(node.end - node.pos);
  const fed = node.type === 'ProcessSubstitution' && node.operator === '>';
  walkScript(node.script, { ...run, state: run.state.fork(), input: fed ? run.input : NO_INPUT });
}

/** Every part of a pipeline is a subshell, and feeds the next one. */
function walkPipeline({ commands }: Pipeline, run: Run): void {
  if (commands.length === 1) {
    walkNode(commands[0]!, run);
    return;
  }
  let input = run.input;
  for (const command of commands) {
    const part = { ...run, state: run.state.fork(), input };
    const programs = run.reading.programsOf(() => walkNode(command, part));
    input = { afterPipe: true, fedBy: [...input.fedBy, ...programs], ...outputOfPart(command, part, input) };
  }
}

/** What one part of a pipeline hands to the next, as far as that can be told. */
function outputOfPart(command: CommandNode, { state, reading }: Run, input: Input): Pick<Input, 'text' | 'words'> {
  if (command.type !== 'Command') return {};
  if (command.name?.value === 'cat' && command.suffix.length === 0) return input;
  const expander = new Expander(state, reading.budget, true);
  const text = commandOutput(command, expander);
  if (text !== undefined) return { text };
  const words = listedBy(command, expander);
  return words === undefined ? {} : { words };
}

function walkLoop(node: For | Select, run: Run): void {
  const { state, reading } = run;
  const expander = new Expander(state, reading.budget);
  for (const word of node.wordlist ?? []) walkNode(word, run);
  const listed = node.wordlist === undefined ? state.positional : expander.forms(node.wordlist).flat();
  const values = listed?.map((field): readonly Field[] => [
    /[*?[]/.test(field.pattern) ? { ...field, listed: true } : field,
  ]);
  state.perhaps(() => {
    state.assign(node.name.value, values === undefined || values.length === 0 ? undefined : values);
    walkNode(node.body, run);
  });
}

/** A compound command with redirections: they feed, or take from, everything inside. */
function walkRedirected(node: Extract<SyntaxNode, { type: 'Redirected' }>, run: Run): void {
  const { reading, state } = run;
  const fedBy = reading.programsOf(() => {
    for (const part of node.redirects) walkNode(part, run);
  });
  const text = inputText(node.redirects, new Expander(state, reading.budget));
  const reads = node.redirects.some(({ type, operator }) => type !== 'Redirect' || operator.startsWith('<'));
  const input = reads ? { afterPipe: fedBy.length > 0, fedBy, ...(text !== undefined && { text }) } : run.input;
  simpleCommand({ ...EMPTY, redirects: node.redirects }, run);
  walkNode(node.command, { ...run, input });
}

const EMPTY = { type: 'Command', pos: 0, end: 0, name: undefined, prefix: [], suffix: [], args: [] } as const;
