import { expect, test } from 'vitest';
import { classesOf, costOf, told } from './risk-support.ts';

const HOST = 'https://registry.example';
const SHA = (letter: string) => `sha512-${letter.repeat(86)}==`;

interface Entry {
  readonly version?: string;
  readonly resolved?: string;
  readonly integrity?: string;
  readonly [key: string]: unknown;
}

function npm(packages: Record<string, Entry>): string {
  return JSON.stringify({ name: 'x', lockfileVersion: 3, packages }, null, 2);
}

const A = { version: '1.0.0', resolved: `${HOST}/a/-/a-1.0.0.tgz`, integrity: SHA('a') };
const BEFORE = {
  'node_modules/a': A,
  'node_modules/@s/b': { version: '1.0.0', resolved: `${HOST}/@s/b/-/b-1.0.0.tgz`, integrity: SHA('b') },
};

function changed(packages: Record<string, Entry>) {
  return told({ path: 'package-lock.json', before: npm(BEFORE), after: npm({ ...BEFORE, ...packages }) });
}

test('versions within the same registry are no risk', () => {
  expect(
    changed({ 'node_modules/a': { ...A, version: '1.0.1', resolved: `${HOST}/a/-/a-1.0.1.tgz`, integrity: SHA('c') } }),
  ).toEqual([]);
  const more = { version: '2.0.0', resolved: `${HOST}/@s%2fc/-/c-2.0.0.tgz`, integrity: SHA('d') };
  expect(changed({ 'node_modules/a/node_modules/@s/c': { ...more, funding: { url: 'https://me.example' } } })).toEqual(
    [],
  );
});

test.each<[string, Entry, string]>([
  ['another registry', { resolved: 'https://evil.example/a/-/a-1.0.0.tgz' }, 'https://evil.example @7'],
  ['another port', { resolved: `${HOST}:444/a/-/a-1.0.0.tgz` }, `${HOST}:444 @7`],
  ['a name before the host', { resolved: `${HOST}@evil.example/a/-/a-1.0.0.tgz` }, 'https://evil.example @7'],
  ['no encryption', { resolved: 'http://registry.example/a/-/a-1.0.0.tgz' }, 'http://registry.example @7'],
  ['a repository', { resolved: 'git+ssh://git@github.com/evil/a.git#abc' }, 'ssh://github.com/evil/a @7'],
  ['a folder', { resolved: 'file:../evil' }, 'file:../evil @7'],
  [
    'the archive of another package',
    { resolved: `${HOST}/evil/-/evil-1.0.0.tgz` },
    'the archive of evil for node_modules/a @7',
  ],
  ['another checksum', { integrity: SHA('z') }, 'another checksum for the same version @8'],
])('%s is one, with its line', (_name, part, risk) => {
  expect(changed({ 'node_modules/a': { ...A, ...part } })).toEqual([risk]);
});

test('a checksum that goes away is one', () => {
  const { integrity: _, ...rest } = A;
  expect(changed({ 'node_modules/a': { ...rest, dev: true } })).toEqual([]);
  const before = npm({ a: { version: '1', integrity: SHA('a'), dev: true } });
  const after = npm({ a: { version: '1', dev: true } });
  expect(told({ path: 'package-lock.json', before, after })).toEqual(['a checksum, removed @7']);
});

test('a package that moves to a registry that others use already is one', () => {
  const before = npm({
    ...BEFORE,
    'node_modules/p': { version: '1.0.0', resolved: 'https://private.example/p/-/p-1.0.0.tgz' },
  });
  const after = before.replace('https://private.example/p/-/p-1.0.0', `${HOST}/p/-/p-9.0.0`);
  expect(told({ path: 'package-lock.json', before, after })).toEqual([`${HOST} @17`]);
});

test.each<[string, (text: string) => string]>([
  ['one line', (text) => JSON.stringify(JSON.parse(text))],
  ['a value on a line of its own', (text) => text.replaceAll('"resolved": ', '"resolved":\n\n')],
  ['another key on the same line', (text) => text.replaceAll(/\n\s*"resolved"/g, '"funding": "x", "resolved"')],
  ['escaped slashes', (text) => text.replaceAll('//evil', '\\/\\/evil')],
  ['escaped letters', (text) => text.replaceAll('"https://evil', '"\\u0068ttps://evil')],
  ['one slash', (text) => text.replaceAll('https://evil', 'https:/evil')],
  ['no slash', (text) => text.replaceAll('https://evil', 'https:evil')],
  [
    'a key that is there twice',
    (text) => text.replaceAll(/("resolved": "https:..evil[^"]*")/g, '"resolved": "https://a.example", $1'),
  ],
])('an address is found in another layout: %s', (_name, change) => {
  const after = change(
    npm({ ...BEFORE, 'node_modules/a': { ...A, resolved: 'https://evil.example/a/-/a-1.0.0.tgz' } }),
  );
  const [risk, ...more] = told({ path: 'package-lock.json', before: npm(BEFORE), after });
  expect(risk).toMatch(/^https:\/{0,2}evil/);
  expect(more).toEqual([]);
  const swapped = change(npm({ ...BEFORE, 'node_modules/a': { ...A, resolved: `${HOST}/evil/-/evil-1.0.0.tgz` } }));
  const swaps = told({ path: 'package-lock.json', before: npm(BEFORE), after: swapped }).map((what) =>
    what.replace(/ @.*/, ''),
  );
  expect(swaps).toContain('the archive of evil for node_modules/a');
});

test('a lock file that is no JSON is a risk', () => {
  expect(told({ path: 'package-lock.json', before: '{}', after: '{' })).toEqual(['lock file, not JSON']);
  expect(told({ path: 'package-lock.json', before: '{', after: npm(BEFORE) })).toEqual([`${HOST} @7`]);
});

test('composer: where packages come from counts, whom to thank does not', () => {
  const lock = (url: string, funding: string, order: boolean) => {
    const source = order ? { type: 'git', url } : { url, type: 'git' };
    const support = { source: `${funding}/tree` };
    return JSON.stringify(
      { packages: [{ name: 'a/b', source, support, funding: [{ url: funding, type: 'github' }] }] },
      null,
      4,
    );
  };
  const before = lock('https://github.com/a/b.git', 'https://me.example', true);
  const risks = (after: string) => told({ path: 'composer.lock', before, after });
  expect(risks(lock('https://github.com/a/b.git', 'https://other.example', true))).toEqual([]);
  expect(risks(lock('https://github.com/evil/b.git', 'https://me.example', true))).toEqual([
    'https://github.com/evil/b @7',
  ]);
  expect(risks(lock('https://github.com/evil/b.git', 'https://me.example', false))).toEqual([
    'https://github.com/evil/b @6',
  ]);
});

test('a new lock file names each of its sources once', () => {
  expect(told({ path: 'sub/npm-shrinkwrap.json', after: npm(BEFORE) })).toEqual([`${HOST} @7`]);
});

test.each([
  ['yarn.lock', 'a@^1.0.0:\n  version "1.0.0"\n  resolved "https://r.example/a/-/a-1.0.0.tgz#aa"\n'],
  ['pnpm-lock.yaml', '  a@1.0.0:\n    resolution: {integrity: sha512-aaaaaaaaaaaaaaaaaaaaaaaaa}\n'],
  [
    'Cargo.lock',
    'version = "1.0.0"\nsource = "registry+https://github.com/rust-lang/crates.io-index"\nchecksum = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"\n',
  ],
  ['go.sum', 'a.example/b v1.0.0 h1:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=\n'],
  [
    'poetry.lock',
    'version = "1.0.0"\nfiles = [\n  {file = "a-1.0.0.tar.gz", hash = "sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa1"},\n]\ncontent-hash = "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa2"\n',
  ],
  [
    'requirements.txt',
    'a==1.0.0 \\\n  --hash=sha256:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa\n# via https://me.example\n',
  ],
])('%s: another version is no risk', (path, before) => {
  const after = before.replaceAll('1.0.0', '1.1.0').replace(/a{20,}/g, (found) => 'b'.repeat(found.length));
  expect(classesOf({ path, before, after })).toEqual([]);
});

test.each([
  ['yarn.lock', 'https://r.example/a/-/a-1.0.0.tgz#aa', 'https://evil.example/a/-/a-1.0.0.tgz#aa'],
  ['pnpm-lock.yaml', 'version: 1.0.0', 'version: link:../evil'],
  ['Cargo.lock', 'registry+https://github.com/rust-lang/crates.io-index', 'git+https://github.com/evil/x?rev=1#1'],
  [
    'go.sum',
    'b v1 h1:aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=',
    'b v1 h1:baaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa=',
  ],
  ['requirements-dev.txt', 'a==1', '--extra-index-url https://evil.example\na==1'],
  ['requirements.txt', 'a==1', '-r other.txt\na==1'],
  ['requirements.txt', 'a==1', 'a==1\nevil==1'],
  ['requirements.txt', 'a==1', 'a @ htt\\\nps://evil.example/a'],
  ['pnpm-lock.yaml', 'a: x', 'a: "\\x68ttps:evil.example"'],
  ['yarn.lock', 'resolved "a"', 'resolved "\\u0068ttp\\u003a//evil"'],
  [
    'composer.lock',
    '"type": "git",\n"url": "https://github.com/me/a.git"',
    '"type": "git",\n"url": "https://github.com/evil/a.git"',
  ],
  ['Gemfile.lock', '  remote: https://r.example/', '  remote: ../evil'],
  ['flake.lock', '"owner": "NixOS"', '"owner": "evil"'],
  ['uv.lock', 'source = { registry = "https://r.example/simple" }', 'source = { path = "../evil" }'],
  ['bun.lockb', 'text', 'te\0xt'],
])('%s: another source is one', (path, before, after) => {
  expect(classesOf({ path, before: `x\n${before}\ny\n`, after: `x\n${after}\ny\n` })).toContain('lockfile-source');
});

test('hostile lock files cost little', { timeout: 60_000 }, () => {
  const MiB = 1024 * 1024;
  for (const piece of ['a', 'git@', 'https://', 'github:', 'sha1-', '"x": {', '/-/', 'a+', '"\\', '\n', 'x:\n', 'f0']) {
    const after = piece.repeat((4 * MiB) / piece.length);
    const cost = costOf(() => {
      told({ path: 'package-lock.json', before: 'x\n', after });
      told({ path: 'yarn.lock', before: 'x\n', after: `${after}https://a.example/b/-/b.tgz` });
    });
    expect(cost, piece).toBeLessThan(3_000);
  }
  expect(told({ path: 'go.sum', after: Buffer.alloc(9 * MiB, 0x61) })).toContain(
    'lock file, too large to be looked through',
  );
});
