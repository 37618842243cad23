import { type Finding, finding, quoted } from './finding.ts';

/** Lines, counted from 0, the last one excluded. */
export interface Place {
  readonly from: number;
  readonly to: number;
}

/** An archive as registries for npm name it: `.../@scope/name/-/name-1.2.3.tgz`. */
const ARCHIVE = /\/((?:@[^/\s"]{1,214}(?:\/|%2f))?[^/\s"]{1,214})\/-\/[^/\s"]{1,255}\.tgz/i;
/** The start of an entry: `"node_modules/name": {`, or `name@^1.0.0:` in YAML and yarn.lock. */
const ENTRY = /"([^"\n]{1,1024})"\s*:\s*\{|^[ \t]*(\S[^\n]{0,1024}):[ \t]*$/gm;
/** Lines between the start of an entry and its address. */
const MAX_ABOVE = 12;

/** Entries for one package whose archive is another one: an old trick, as the address looks like all others. */
export function* findWrongPackages(lines: readonly string[], place: Place, before: string): Generator<Finding> {
  for (let line = place.from; line < Math.min(place.to, lines.length); line++) {
    const archive = ARCHIVE.exec(lines[line]!);
    const name = archive?.[1]?.replace(/%2f/i, '/');
    if (archive === null || name === undefined) continue;
    const above = lines.slice(Math.max(0, line - MAX_ABOVE), line);
    const entry = lastEntry([...above, lines[line]!.slice(0, archive.index)].join('\n'));
    if (entry !== undefined && isFor(entry, name)) continue;
    // An alias that was there before: the entry says whose archive it is.
    if (above.some((text) => text.includes(`"name": "${name}"`)) && before.includes(`"name": "${name}"`)) continue;
    yield finding(`the archive of ${quoted(name)} for ${quoted(entry ?? 'no package')}`, [line + 1, line + 1]);
  }
}

function lastEntry(text: string): string | undefined {
  let last: string | undefined;
  for (const match of text.matchAll(ENTRY)) last = match[1] ?? match[2];
  return last;
}

/** `node_modules/a/node_modules/name`, `name`, `"name@^1", "name@^2"`, `/name@1.0.0`, `alias@npm:name@^1`. */
function isFor(entry: string, name: string): boolean {
  if (entry === name || entry.endsWith(`node_modules/${name}`)) return true;
  for (let at = entry.indexOf(`${name}@`); at >= 0; at = entry.indexOf(`${name}@`, at + 1)) {
    // Not as the end of a longer name, or below a scope.
    if (at === 0 || /[\s,"':]/.test(entry[at - 1]!) || (at === 1 && entry[0] === '/')) return true;
  }
  return false;
}
