import { isDeepStrictEqual } from 'node:util';
import { sourceOf } from './dependency-source.ts';
import { type Finding, finding, quoted } from './finding.ts';
import { keyPath, type Lines, locateKeys } from './json-keys.ts';
import type { ManifestKeys } from './manifest-keys.ts';
import { isObject, type JsonObject, member, parseManifest } from './parse-manifest.ts';

/** Keys below each other that are told apart. */
const DEPTH = 4;

/** What in a JSON manifest runs code or comes from elsewhere since it was changed; a reason when it cannot be read. */
export function judgeManifest(before: Buffer | undefined, after: Buffer, keys: ManifestKeys): Finding[] | string {
  const now = parseManifest(after);
  if (typeof now === 'string') return now;
  const parsed = before === undefined ? undefined : parseManifest(before);
  // What cannot be read is taken for empty: then everything is new.
  const old = typeof parsed === 'object' ? parsed.value : {};
  const lines = locateKeys(now.text, DEPTH);
  return [...changedKeys(old, now.value, keys, lines), ...newSources(old, now.value, keys, lines)];
}

type Places = ReadonlyMap<string, Lines>;

function* changedKeys(old: JsonObject, now: JsonObject, keys: ManifestKeys, lines: Places): Generator<Finding> {
  for (const key of allKeys(old, now)) {
    const [was, is] = [member(old, key), member(now, key)];
    if (keys.harmless.has(key) || isDeepStrictEqual(was, is)) continue;
    const holdsPackages = keys.dependencies.some(([first, second]) => first === key && second === undefined);
    if (holdsPackages && (is === undefined || isObject(is))) continue;
    if (key === 'packageManager' && sameManager(was, is)) continue;
    if (is === undefined) {
      if (!keys.removable.has(key)) yield finding(`${quoted(key)}, removed`);
      continue;
    }
    if (!isObject(is) || (was !== undefined && !isObject(was))) {
      yield finding(quoted(key), lines.get(keyPath([key])));
      continue;
    }
    yield* changedMembers(key, was ?? {}, is, keys, lines);
  }
}

function* changedMembers(
  key: string,
  old: JsonObject,
  now: JsonObject,
  keys: ManifestKeys,
  lines: Places,
): Generator<Finding> {
  for (const name of allKeys(old, now)) {
    if (keys.dependencies.some(([first, second]) => first === key && second === name)) continue;
    const is = member(now, name);
    if (isDeepStrictEqual(member(old, name), is)) continue;
    if (is !== undefined) yield finding(quoted(`${key}.${name}`), lines.get(keyPath([key, name])));
    else if (!keys.removable.has(key)) {
      yield finding(`${quoted(`${key}.${name}`)}, removed`, lines.get(keyPath([key])));
    }
  }
}

interface Dependency {
  readonly name: string;
  readonly source: string;
  readonly keys: readonly string[];
}

function* newSources(old: JsonObject, now: JsonObject, keys: ManifestKeys, lines: Places): Generator<Finding> {
  const known = new Map<string, Set<string>>();
  for (const { name, source } of dependencies(old, keys)) {
    const sources = known.get(name) ?? new Set();
    known.set(name, sources.add(source));
  }
  for (const { name, source, keys: path } of dependencies(now, keys)) {
    const sources = known.get(name);
    if (sources?.has(source) === true || keys.platform.test(name)) continue;
    const place = lines.get(keyPath(path)) ?? lines.get(keyPath(path.slice(0, 1)));
    const from = source === '' ? '' : `, from ${quoted(source)}`;
    yield finding(`${quoted(path.join('.'))}${sources === undefined ? ', new' : ''}${from}`, place);
  }
}

function* dependencies(manifest: JsonObject, keys: ManifestKeys): Generator<Dependency> {
  for (const path of keys.dependencies) {
    let group: unknown = manifest;
    for (const key of path) group = isObject(group) ? member(group, key) : undefined;
    if (isObject(group)) yield* dependenciesOf(group, path);
  }
}

/** Overrides may nest: `{ "a": { ".": "1.0.0", "b": "2.0.0" } }`. The depth of the whole was checked. */
function* dependenciesOf(group: JsonObject, path: readonly string[]): Generator<Dependency> {
  for (const [name, spec] of Object.entries(group)) {
    const keys = [...path, name];
    if (isObject(spec)) yield* dependenciesOf(spec, keys);
    else yield { name, source: sourceOf(spec), keys };
  }
}

function sameManager(was: unknown, is: unknown): boolean {
  const name = (value: unknown) => (typeof value === 'string' ? /^([a-z]+)@\d[\w.+-]*$/.exec(value)?.[1] : undefined);
  return name(is) !== undefined && name(was) === name(is);
}

function allKeys(a: JsonObject, b: JsonObject): Set<string> {
  return new Set([...Object.keys(a), ...Object.keys(b)]);
}
