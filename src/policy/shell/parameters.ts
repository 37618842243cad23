import type { ParameterExpansionPart, ParameterOperation, Word } from 'unbash';
import { Wildcard } from '../../lib/wildcard.ts';
import type { Piece } from './pieces.ts';
import type { Elements, ShellState } from './state.ts';
import { type Field, literal, unknown } from './types.ts';

/** Stands for the word of `${x:-word}`: the expander works it out itself, since its quotes count. */
export const OPERAND: Elements = [literal('')];

/** How words are expanded here; passed in, because expansions hold words. */
export interface WordExpander {
  /** Every value of a word that makes one field, as for an assignment. */
  values(word: Word): readonly Field[];
  /** Whether variables that the text has not set count as empty, or as unknown. */
  readonly unsetIsEmpty: boolean;
  /** Told when such a variable is met. */
  metUnset(): void;
}

/** Longer values are not taken apart. */
const MAX_CHANGED = 256;
/** What cuts fields when nothing else is set. */
const DEFAULT_SEPARATORS = ' \t\n';
/** Set by the shell or the image to something that is not empty. */
const SET_BY_OTHERS =
  /^(PATH|TMPDIR|USER|LOGNAME|SHELL|TERM|LANG|HOSTNAME|OLDPWD|UID|EUID|PPID|RANDOM|SECONDS|REPLY|LINENO|BASH.*|EPOCH.*|FUNCNAME|HOSTTYPE|OSTYPE|MACHTYPE|SHLVL|[?!$#_-])$/;

/** Characters at which expansions are cut into fields, the one that joins an array first. */
export function separatorsOf(state: ShellState): string {
  const set = state.valuesOf('IFS');
  if (set === undefined) return DEFAULT_SEPARATORS;
  return set
    .flat()
    .map(({ text, known }) => (known ? text : DEFAULT_SEPARATORS))
    .join('');
}

/** What `$name` can stand for, and whether the shell has a value for it. */
export function parameterValues(name: string, state: ShellState, expander: WordExpander): readonly Elements[] {
  const set = state.valuesOf(name);
  if (set !== undefined) return set;
  if (name === 'HOME') return [[literal(state.place.home)]];
  if (name === 'PWD') return [[state.folder === undefined ? unknown('$PWD') : literal(state.folder)]];
  if (name === 'IFS') return [[literal(DEFAULT_SEPARATORS)]];
  if (name === '0') return [[literal(state.name)]];
  if (name === '@' || name === '*') return [state.positional ?? [unknown(`$${name}`)]];
  if (/^[1-9]\d*$/.test(name)) {
    if (state.positional === undefined) return [[unknown(`$${name}`)]];
    const field = state.positional[Number(name) - 1];
    return [field === undefined ? [] : [field]];
  }
  if (SET_BY_OTHERS.test(name) || state.foreign) return [[unknown(`$${name}`)]];
  expander.metUnset();
  return [expander.unsetIsEmpty ? [] : [unknown(`$${name}`)]];
}

/** `${...}`: every value that it can have. */
export function expansionValues(
  part: ParameterExpansionPart,
  state: ShellState,
  expander: WordExpander,
): readonly Elements[] {
  const { parameter, operation } = part;
  const source = part.text;
  if (part.prefix === '#') return [[unknown(source)]];
  if (part.prefix === '!') return indirect(part, state, expander);
  if (operation?.type === 'Default') return withDefault(part, operation, state, expander);
  // What a shell starts with, of which people take single characters.
  if (operation?.type === 'Slice' && /^(HOME|PWD|PATH)$/.test(parameter) && /^\$\{\w+: *0 *: *1 *\}$/.test(source)) {
    return [[literal('/')]];
  }
  const values = pick(parameterValues(parameter, state, expander), part.index?.value);
  if (operation === undefined) return values;
  return values.map((elements) => elements.map((field) => apply(field, operation, source, expander)));
}

function pick(values: readonly Elements[], index: string | undefined): readonly Elements[] {
  if (index === '@' || index === '*') return values;
  if (index === undefined || /^\d+$/.test(index))
    return values.map((elements) => elements.slice(Number(index ?? 0)).slice(0, 1));
  return values.some((elements) => elements.length > 0) ? [[unknown(`[${index}]`)]] : values;
}

function indirect(part: ParameterExpansionPart, state: ShellState, expander: WordExpander): readonly Elements[] {
  if (part.operation !== undefined) return [[unknown(part.text)]];
  return parameterValues(part.parameter, state, expander).flatMap(([field]) => {
    if (field === undefined) return [[]];
    return field.known ? parameterValues(field.text, state, expander) : [[unknown(part.text)]];
  });
}

function withDefault(
  part: ParameterExpansionPart,
  { operator, operand }: Extract<ParameterOperation, { type: 'Default' }>,
  state: ShellState,
  expander: WordExpander,
): readonly Elements[] {
  const set = state.valuesOf(part.parameter);
  const special = !/^[A-Za-z_]\w*$/.test(part.parameter) || /^(HOME|PWD|IFS)$/.test(part.parameter);
  const known = set !== undefined || special || state.foreign || SET_BY_OTHERS.test(part.parameter);
  const values = known ? pick(parameterValues(part.parameter, state, expander), part.index?.value) : [[]];
  const isEmpty = (elements: Elements) => elements.length === 0 || elements.every(({ text }) => text === '');
  return values.flatMap((elements): readonly Elements[] => {
    const unsure = elements.some((field) => !field.known);
    if (operator === '+' || operator === ':+') return unsure ? [[], OPERAND] : isEmpty(elements) ? [[]] : [OPERAND];
    if (operator === '?' || operator === ':?') return [elements];
    if (isEmpty(elements)) {
      if (operator === '=' || operator === ':=') {
        state.assign(
          part.parameter,
          expander.values(operand).map((field) => [field]),
        );
      }
      return [OPERAND];
    }
    return unsure ? [elements, OPERAND] : [elements];
  });
}

/** One element after `#`, `%`, `/`, `:`, `^` or `,`. */
function apply(field: Field, operation: ParameterOperation, source: string, expander: WordExpander): Field {
  if (!field.known || field.text.length > MAX_CHANGED) return unknown(source);
  const one = (word: Word | undefined) => {
    if (word === undefined) return literal('');
    const values = expander.values(word);
    return values.length === 1 && values[0]!.known ? values[0]! : undefined;
  };
  const { text } = field;
  switch (operation.type) {
    case 'Remove': {
      const pattern = one(operation.operand);
      if (pattern === undefined || pattern.text.length > 64) return unknown(source);
      return literal(removed(text, pattern.pattern, operation.operator));
    }
    case 'Replace': {
      const [pattern, replacement] = [one(operation.pattern), one(operation.replacement)];
      if (pattern === undefined || replacement === undefined || /[*?[\]]/.test(pattern.pattern)) return unknown(source);
      if (operation.operator === '/') return literal(text.replace(pattern.text, () => replacement.text));
      if (operation.operator === '//') return literal(text.replaceAll(pattern.text || '\0', () => replacement.text));
      return unknown(source);
    }
    case 'Slice': {
      const [from, length] = [
        one(operation.offset)?.text.trim(),
        operation.length && one(operation.length)?.text.trim(),
      ];
      if (!/^-?\d+$/.test(from ?? '') || !/^(-?\d+)?$/.test(length ?? '')) return unknown(source);
      const start = Number(from) < 0 ? Math.max(text.length + Number(from), 0) : Number(from);
      if (operation.length === undefined) return literal(text.slice(start));
      return literal(
        Number(length) < 0 ? text.slice(start, Number(length)) : text.slice(start, start + Number(length)),
      );
    }
    case 'CaseModification': {
      const change = (part: string) => (operation.operator[0] === '^' ? part.toUpperCase() : part.toLowerCase());
      if (operation.operand !== undefined) return unknown(source);
      return literal(operation.operator.length === 2 ? change(text) : change(text.slice(0, 1)) + text.slice(1));
    }
    default:
      return unknown(source);
  }
}

function removed(text: string, pattern: string, operator: '#' | '##' | '%' | '%%'): string {
  const wildcard = new Wildcard(pattern, { text: true });
  const lengths = Array.from({ length: text.length + 1 }, (_, length) => length);
  if (operator.length === 2) lengths.reverse();
  for (const length of lengths) {
    const part = operator[0] === '#' ? text.slice(0, length) : text.slice(text.length - length);
    if (wildcard.matches(part)) return operator[0] === '#' ? text.slice(length) : text.slice(0, text.length - length);
  }
  return text;
}

/** Pieces of an expansion. @param joint what is between the elements of an array; without one, each is a field. */
export function elementPieces(elements: Elements, quoted: boolean, joint: string | undefined): Piece[] {
  return elements.flatMap((field, index): Piece[] => {
    const between: Piece[] =
      index === 0 ? [] : [joint === undefined ? { text: '', kind: 'break' } : { text: joint, kind: 'quoted' }];
    if (!field.known) return [...between, { text: field.text, kind: 'unknown' }];
    if (field.listed) return [...between, { text: field.text, kind: 'bare' }];
    return [...between, { text: field.text, kind: quoted ? 'quoted' : 'expanded' }];
  });
}
