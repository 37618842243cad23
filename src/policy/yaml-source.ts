import { type Document, isAlias, isMap, isNode, isScalar, isSeq, LineCounter, parseDocument, visit } from 'yaml';
import { messageOf } from '../errors.ts';

/** A place in a file, both from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** Something that keeps a file from being used, with what to do about it where that is not plain. */
export interface SourceProblem extends Position {
  readonly message: string;
  readonly hint?: string;
}

/** A file as plain data, and where in it each value stands. */
export interface YamlSource {
  readonly value: unknown;
  /** Of the value at a JSON pointer, or of the nearest one around it; of its key where `key` says so. */
  position(pointer: string, key?: boolean): Position;
}

/** Syntax errors that are reported at once: later ones mostly follow from the first. */
const MAX_SYNTAX_ERRORS = 3;

const QUOTE_HINT = 'A value that starts with *, & or ! has to be quoted: "*.pem".';

/**
 * YAML 1.2 or JSON as plain data. Only what both have: no anchors and aliases, which can make a small file large, no tags and
 * no directives, which change what a value means; every key once.
 */
export function readYaml(text: string): { source: YamlSource } | { problems: readonly SourceProblem[] } {
  const lines = new LineCounter();
  const at = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    // Where the text ends in a line break, the end is a line that is not there.
    return { line: Math.max(1, line), column: Math.max(1, col) };
  };
  let document: Document.Parsed;
  let value: unknown;
  try {
    document = parseDocument(text, { lineCounter: lines, prettyErrors: false, stringKeys: true, version: '1.2' });
    const wrong = syntaxProblems(document, at);
    if (wrong.length > 0) return { problems: wrong };
    value = document.toJS({ maxAliasCount: 0 });
  } catch (error) {
    const message = error instanceof RangeError ? 'nested too deep' : messageOf(error);
    return { problems: [{ line: 1, column: 1, message }] };
  }
  return { source: { value, position: (pointer, key = false) => at(offsetOf(document, pointer, key)) } };
}

function syntaxProblems(document: Document.Parsed, at: (offset: number) => Position): SourceProblem[] {
  const { errors, directives } = document;
  const deep = errors.find(({ code }) => code === 'RESOURCE_EXHAUSTION');
  if (deep !== undefined) return [{ ...at(deep.pos[0]), message: 'nested too deep' }];
  if (errors.length > 0) {
    return errors.slice(0, MAX_SYNTAX_ERRORS).map(({ pos, message }) => ({ ...at(pos[0]), message: worded(message) }));
  }
  if (directives.yaml.explicit === true || Object.keys(directives.tags).some((handle) => handle !== '!!')) {
    return [{ line: 1, column: 1, message: 'lines that start with % are not used here' }];
  }
  const problems: SourceProblem[] = [];
  visit(document, {
    Node(_key, node) {
      if (problems.length === MAX_SYNTAX_ERRORS) return visit.BREAK;
      const message = isAlias(node)
        ? `*${node.source} is an alias of YAML, which is not used here`
        : node.anchor !== undefined
          ? `&${node.anchor} is an anchor of YAML, which is not used here`
          : node.tag !== undefined
            ? `${node.tag.replace(/^tag:yaml\.org,2002:/, '!!')} is a tag of YAML, which is not used here`
            : undefined;
      if (message !== undefined) problems.push({ ...at(node.range?.[0] ?? 0), message, hint: QUOTE_HINT });
      return undefined;
    },
  });
  return problems;
}

/** The library's words where they speak of its own API. */
function worded(message: string): string {
  if (message.startsWith('Source contains multiple documents')) return 'a second document starts here; one is read';
  if (message.startsWith('Map keys must be unique')) return 'this key is there already';
  if (message.startsWith('With stringKeys')) return 'a key has to be text';
  if (message.startsWith('Tabs are not allowed')) return 'a tab cannot indent; use blanks';
  if (message.startsWith('Nested mappings are not allowed in compact')) {
    return 'a second "key:" stands in the same line; a text with ": " in it has to be quoted';
  }
  return message.charAt(0).toLowerCase() + message.slice(1);
}

function offsetOf(document: Document.Parsed, pointer: string, ofKey: boolean): number {
  let node: unknown = document.contents;
  let offset = startOf(node) ?? 0;
  const keys = pointer.split('/').slice(1).map(unescaped);
  for (const [index, key] of keys.entries()) {
    if (isMap(node)) {
      const pair = node.items.find((item) => isScalar(item.key) && String(item.key.value) === key);
      if (pair === undefined) break;
      const keyAt = startOf(pair.key) ?? offset;
      // A value that is missing has no place of its own.
      const empty = isScalar(pair.value) && pair.value.value === null;
      offset = (ofKey && index === keys.length - 1) || empty ? keyAt : (startOf(pair.value) ?? keyAt);
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(key)];
      offset = startOf(node) ?? offset;
    } else break;
  }
  return offset;
}

function startOf(node: unknown): number | undefined {
  return isNode(node) ? node.range?.[0] : undefined;
}

function unescaped(key: string): string {
  return key.replaceAll('~1', '/').replaceAll('~0', '~');
}
