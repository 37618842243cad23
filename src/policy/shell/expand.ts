import type { DoubleQuotedChild, ParameterExpansionPart, Word, WordPart } from 'unbash';
import { expandBraces } from './braces.ts';
import type { Budget } from './budget.ts';
import { parseWords } from './grammar.ts';
import { MAX_FORMS, MAX_VALUE } from './limits.ts';
import { listedIn } from './listed-by.ts';
import { outputOf } from './output-of.ts';
import {
  elementPieces,
  expansionValues,
  OPERAND,
  parameterValues,
  separatorsOf,
  type WordExpander,
} from './parameters.ts';
import { barePieces, fieldsOf, type Piece } from './pieces.ts';
import type { Elements, ShellState } from './state.ts';
import { type Field, unknown } from './types.ts';

/** Each alternative is the pieces that a part can make. */
type Alternatives = readonly (readonly Piece[])[];

const BRACE: Piece = { text: '{', kind: 'bare' };
const END: Piece = { text: '}', kind: 'bare' };

/** Works out words without running anything. Reads the state; only `${x:=y}` writes to it. */
export class Expander implements WordExpander {
  readonly state: ShellState;
  readonly unsetIsEmpty: boolean;
  /** A variable was met that the text has not set. */
  sawUnset = false;
  readonly #budget: Budget;

  constructor(state: ShellState, budget: Budget, unsetIsEmpty = false) {
    this.state = state;
    this.unsetIsEmpty = unsetIsEmpty;
    this.#budget = budget;
  }

  metUnset(): void {
    this.sawUnset = true;
  }

  /** Every list of fields that some words can become; at most MAX_FORMS, the last one a list with what is not known. */
  forms(words: readonly Word[]): readonly (readonly Field[])[] {
    let forms: Field[][] = [[]];
    // Added to where that is possible: copies for each word would take time that grows with the square of their number.
    for (const word of words) {
      const next = this.fields(word);
      const [only] = next;
      if (only !== undefined && next.length === 1) {
        for (const form of forms) form.push(...only);
        continue;
      }
      if (forms.length * next.length <= MAX_FORMS) {
        forms = forms.flatMap((form) => next.map((fields) => [...form, ...fields]));
      } else for (const form of forms) form.push(unknown(word.text));
    }
    return forms;
  }

  /** Every list of fields that one word can become. */
  fields(word: Word): readonly (readonly Field[])[] {
    this.#budget.node();
    if (word.parts?.some((part) => part.type === 'BraceExpansion')) return [this.#braced(word)];
    return this.#alternatives(word).map((pieces) => this.#cut(pieces));
  }

  /** Every value of a word that makes one field, as for an assignment. */
  values(word: Word): readonly Field[] {
    return this.#alternatives(word).map((pieces) => {
      const whole = pieces.map((piece): Piece => {
        if (piece.kind === 'break') return { text: ' ', kind: 'quoted' };
        return piece.kind === 'expanded' ? { ...piece, kind: 'quoted' } : piece;
      });
      return fieldsOf(whole, '')[0] ?? { text: '', pattern: '', known: true };
    });
  }

  /** The text of a heredoc, or of anything else that is not cut into fields; undefined when only the shell will know. */
  text(parts: readonly WordPart[] | undefined, plain: string): string | undefined {
    if (parts === undefined) return plain;
    const [pieces, ...more] = this.#product(parts, (part) =>
      part.type === 'Literal' ? [[{ text: part.value, kind: 'quoted' }]] : this.#part(part, true),
    );
    if (pieces === undefined || more.length > 0 || pieces.some(({ kind }) => kind === 'unknown')) return undefined;
    return pieces.map(({ text }) => text).join('');
  }

  #braced(word: Word): readonly Field[] {
    const sources = expandBraces(word.text);
    if (sources === undefined) return [unknown(word.text)];
    return sources.flatMap((source) => {
      this.#budget.parse(source.length);
      return parseWords(source).flatMap((part) => {
        const [pieces, ...more] = this.#alternatives(part);
        return pieces === undefined || more.length > 0 ? [unknown(source)] : this.#cut(pieces);
      });
    });
  }

  /** An array or a text can make many words each time that it is named. */
  #cut(pieces: readonly Piece[]): readonly Field[] {
    const fields = fieldsOf(pieces, separatorsOf(this.state));
    this.#budget.node(fields.length);
    return fields;
  }

  #alternatives(word: Word): Alternatives {
    if (word.parts === undefined) return [this.#tilde(barePieces(word.text))];
    return this.#product(word.parts, (part) => this.#part(part, false)).map((pieces) => this.#tilde(pieces));
  }

  #product<T>(parts: readonly T[], each: (part: T) => Alternatives): Alternatives {
    let all: Piece[][] = [[]];
    for (const part of parts) {
      const next = each(part);
      if (next.length * all.length > MAX_FORMS) return [[{ text: '…', kind: 'unknown' }]];
      all = all.flatMap((before) => next.map((pieces) => [...before, ...pieces]));
    }
    return all;
  }

  #part(part: WordPart | DoubleQuotedChild, quoted: boolean): Alternatives {
    this.#budget.node();
    switch (part.type) {
      case 'Literal':
        return [quoted ? [{ text: part.value, kind: 'quoted' }] : barePieces(part.text)];
      case 'SingleQuoted':
      case 'AnsiCQuoted':
        return [[{ text: part.value, kind: 'quoted' }]];
      case 'DoubleQuoted':
      case 'LocaleString':
        return this.#product(part.parts, (child) => this.#part(child, true)).map((pieces) =>
          pieces.length === 0 && part.parts.length === 0 ? [{ text: '', kind: 'quoted' }] : pieces,
        );
      case 'SimpleExpansion': {
        const name = part.text.slice(1).replaceAll('\\\n', '');
        return this.#elements(parameterValues(name, this.state, this), quoted, name === '@');
      }
      case 'ParameterExpansion': {
        const each = part.parameter === '@' || part.index?.value === '@';
        return expansionValues(part, this.state, this).flatMap((value) =>
          value === OPERAND ? this.#operand(part, quoted) : this.#elements([value], quoted, each),
        );
      }
      case 'CommandExpansion': {
        const output = part.script && this.#budget.below(() => outputOf(part.script!, this));
        if (output === undefined && !quoted) {
          const names = listedIn(part.script, this);
          if (names !== undefined) return [elementPieces(names, false, undefined)];
        }
        if (output === undefined || output.length > MAX_VALUE) return [[{ text: part.text, kind: 'unknown' }]];
        return [[{ text: output.replace(/\n+$/, ''), kind: quoted ? 'quoted' : 'expanded' }]];
      }
      case 'ArithmeticExpansion':
        return [[{ text: part.text, kind: 'unknown' }]];
      case 'ProcessSubstitution':
        return [[{ text: '/dev/fd/63', kind: 'quoted' }]];
      case 'BraceExpansion':
        // Where braces are not expanded, as in an assignment.
        if (part.parts === undefined) return [barePieces(part.text)];
        return this.#product(part.parts, (child) => this.#part(child, false)).map((pieces) => [BRACE, ...pieces, END]);
      default:
        return [[{ text: part.text, kind: 'bare' }]];
    }
  }

  /** The word of `${x:-word}`: cut at spaces where neither it nor what is around it is quoted. */
  #operand({ operation, text }: ParameterExpansionPart, quoted: boolean): Alternatives {
    if (operation?.type !== 'Default') return [[{ text, kind: 'unknown' }]];
    if (quoted) return this.values(operation.operand).map((field) => elementPieces([field], true, undefined));
    return this.#alternatives(operation.operand).map((pieces) =>
      pieces.map((piece) => (piece.kind === 'bare' ? { ...piece, kind: 'expanded' } : piece)),
    );
  }

  #elements(values: readonly Elements[], quoted: boolean, each: boolean): Alternatives {
    return values.map((elements) => {
      if (elements.length === 0) return quoted && !each ? [{ text: '', kind: 'quoted' }] : [];
      return elementPieces(elements, quoted, quoted && !each ? separatorsOf(this.state).slice(0, 1) : undefined);
    });
  }

  /** A `~` that stands for a home is one that starts the word without quotes. */
  #tilde(pieces: readonly Piece[]): readonly Piece[] {
    const [first, ...rest] = pieces;
    if (first?.kind !== 'bare' || !/^~(\/|$)/.test(first.text)) return pieces;
    if (first.text === '~' && rest.length > 0) return pieces;
    return [{ text: this.state.place.home, kind: 'quoted' }, { text: first.text.slice(1), kind: 'bare' }, ...rest];
  }
}
