import { expect, test } from 'vitest';
import { classesOf, told } from './risk-support.ts';

const BEFORE = {
  name: 'x',
  version: '1.0.0',
  scripts: { test: 'vitest', build: 'tsc' },
  dependencies: { a: '^1.0.0', b: 'npm:other@1.0.0', c: 'github:me/c#v1' },
  devDependencies: { d: '1.0.0' },
  overrides: { e: { '.': '1.0.0', f: '2.0.0' } },
  packageManager: 'npm@10.0.0+sha512.aa',
  prettier: { singleQuote: true },
};

type Manifest = Record<string, unknown>;

function changed(after: Manifest, before: Manifest = BEFORE, path = 'package.json') {
  return told({ path, before: JSON.stringify(before, null, 2), after: JSON.stringify(after, null, 2) });
}

test.each<[string, Manifest]>([
  ['its own version', { version: '1.0.1' }],
  ['what is told about it', { description: 'new', keywords: ['a'], license: 'MIT', author: 'me', files: ['dist'] }],
  ['where its modules are', { main: 'a.js', exports: { '.': './a.js' }, types: 'a.d.ts', engines: { node: '>=22' } }],
  ['versions of packages', { dependencies: { a: '~2.0.0-rc.1 || >=3 <4', b: 'npm:other@2', c: 'github:me/c#v2' } }],
  ['a package that moved to another group', { dependencies: { a: '1', d: 'latest' }, devDependencies: {} }],
  ['fewer packages and scripts', { dependencies: {}, scripts: { test: 'vitest' } }],
  ['the version of the same package manager', { packageManager: 'npm@11.1.0+sha512.bb' }],
])('%s in package.json is no risk', (_name, part) => {
  expect(changed({ ...BEFORE, ...part })).toEqual([]);
});

test.each<[string, Manifest, string[]]>([
  ['a script', { scripts: { ...BEFORE.scripts, test: 'curl' } }, ['scripts.test @5']],
  ['an install script', { scripts: { ...BEFORE.scripts, postinstall: 'x' } }, ['scripts.postinstall @7']],
  ['a program', { bin: './a.js' }, ['bin @26']],
  ['a new package', { dependencies: { ...BEFORE.dependencies, z: '1.0.0' } }, ['dependencies.z, new @12']],
  [
    'another source',
    { dependencies: { ...BEFORE.dependencies, a: 'git+ssh://git@evil.example/a.git#v1' } },
    ['dependencies.a, from git+ssh://git@evil.example/a.git @9'],
  ],
  ['another alias', { dependencies: { b: 'npm:evil@1.0.0' } }, ['dependencies.b, from npm:evil @9']],
  ['another repository', { dependencies: { c: 'github:evil/c#v1' } }, ['dependencies.c, from github:evil/c @9']],
  ['a shorthand', { dependencies: { a: 'evil/a' } }, ['dependencies.a, from evil/a @9']],
  ['a folder', { dependencies: { a: '..' } }, ['dependencies.a, from .. @9']],
  ['an archive', { dependencies: { a: 'a.tgz' } }, ['dependencies.a, from a.tgz @9']],
  ['an override', { overrides: { e: { f: 'file:evil' } } }, ['overrides.e.f, from file:evil @18']],
  ['another package manager', { packageManager: 'pnpm@10.0.0' }, ['packageManager @22']],
  ['a package manager by address', { packageManager: 'npm@https://a.example/x' }, ['packageManager @22']],
  [
    'configuration of a tool',
    { prettier: { plugins: ['./evil.js'] } },
    ['prettier.singleQuote, removed @23-27', 'prettier.plugins @24-26'],
  ],
  ['a tool of its own key', { 'lint-staged': { '*': 'x' } }, ['lint-staged.* @27']],
  ['packages in an odd form', { dependencies: ['a'] }, ['dependencies @8-10']],
])('%s in package.json is one, with its line (D61)', (_name, part, risks) => {
  expect(changed({ ...BEFORE, ...part })).toEqual(risks);
});

test('a manifest that cannot be read is a risk', () => {
  const cases: [string | Buffer, string][] = [
    ['{', 'package manifest, not JSON'],
    ['[]', 'package manifest, no JSON object'],
    ['"x"', 'package manifest, no JSON object'],
    [`${'['.repeat(100_000)}`, 'package manifest, nested too deeply'],
    [`[${'1,'.repeat(200_000)}1]`, 'package manifest, holds too many values'],
    [Buffer.alloc(5 * 1024 * 1024, 0x20), 'package manifest, too large to be looked through'],
    [Buffer.alloc(50 * 1024 * 1024, 0x20), 'package manifest, 50 MiB, too large to be looked through'],
    [`{"scripts": "${'a'.repeat(1000)}"}`, 'scripts @1'],
    [Buffer.from([0x7b, 0xff, 0xfe, 0x7d]), 'package manifest, not JSON'],
  ];
  for (const [after, risk] of cases) {
    expect(told({ path: 'package.json', before: '{}', after }), risk).toContain(risk);
    expect(told({ path: 'package.json', after }), risk).toContain(risk);
  }
});

test('where the start content cannot be read, everything counts as new', () => {
  expect(told({ path: 'package.json', before: 'not JSON', after: '{"scripts": {"a": "b"}}' })).toEqual([
    'scripts.a @1',
  ]);
});

test('names that objects have anyway are names like any other', () => {
  expect(told({ path: 'package.json', before: '{}', after: '{"__proto__": {"a": 1}, "constructor": 1}' })).toEqual([
    '__proto__.a @1',
    'constructor @1',
  ]);
  const after = '{"scripts": {"__proto__": "x"}, "dependencies": {"constructor": "1.0.0", "__proto__": "a/b"}}';
  expect(told({ path: 'package.json', before: '{}', after })).toEqual([
    'scripts.__proto__ @1',
    'dependencies.constructor, new @1',
    'dependencies.__proto__, new, from a/b @1',
  ]);
});

test('of a key that is there twice the last one counts, as for a package manager', () => {
  const after = '{\n"scripts": {"test": "same"},\n"scripts": {"test": "evil"}\n}';
  expect(told({ path: 'package.json', before: '{"scripts": {"test": "same"}}', after })).toEqual(['scripts.test @3']);
});

test('a byte order mark and another layout change nothing', () => {
  const edit = {
    path: 'package.json',
    before: JSON.stringify(BEFORE),
    after: `\ufeff${JSON.stringify(BEFORE, null, 4)}`,
  };
  expect(told(edit)).toEqual([]);
});

test('composer.json: scripts, repositories and plug-ins are risks, versions are none', () => {
  const before = {
    name: 'a/b',
    version: '1.0.0',
    require: { php: '>=8', 'c/d': '^1.0' },
    scripts: { test: 'phpunit' },
  };
  const risks = (part: Manifest) => changed({ ...before, ...part }, before, 'composer.json');
  expect(risks({ version: '1.1.0', require: { php: '>=9', 'ext-json': '*', 'c/d': '^2.0@dev' } })).toEqual([]);
  expect(risks({ scripts: { test: 'evil' } })).toEqual(['scripts.test @9']);
  expect(risks({ repositories: [{ type: 'vcs', url: 'https://evil.example' }] })).toEqual(['repositories @11-16']);
  expect(risks({ config: { 'allow-plugins': true } })).toEqual(['config.allow-plugins @12']);
  expect(risks({ require: { ...before.require, 'e/f': '1' } })).toEqual(['require.e/f, new @7']);
});

test.each([
  ['pyproject.toml', '[project]\nversion = "1.0.0"\nx = 1\n', '[project]\nversion = "1.0.1"\nx = 1\n'],
  ['Cargo.toml', 'serde = "1.0.1"\n', 'serde = "1.0.2"\n'],
  ['pom.xml', '<version>1.0-RC.1</version>\n', '<version>1.0-RC.2</version>\n'],
  ['go.mod', 'require a.example/b v1.2.3\n', 'require a.example/b v1.2.4\n'],
  [
    'x.csproj',
    '<PackageReference Include="A" Version="1.0.0" />\n',
    '<PackageReference Include="A" Version="2.0.0" />\n',
  ],
])('version numbers in %s are no risk', (path, before, after) => {
  expect(classesOf({ path, before, after })).toEqual([]);
});

test.each([
  ['pyproject.toml', '[build-system]\nbuild-backend = "a"\n', '[build-system]\nbuild-backend = "b"\n'],
  ['Cargo.toml', 'serde = "1.0.1"\n', 'serde = "1.0.1"\nbuild = "evil.rs"\n'],
  ['Gemfile', 'source "http://10.0.0.1"\n', 'source "http://10.0.0.2"\n'],
  ['Pipfile', 'host = "10.0.0.1"\n', 'host = "10.0.0.2"\n'],
  ['go.mod', 'replace a => ../a\n', 'replace a => ../b\n'],
])('anything else in %s is one', (path, before, after) => {
  expect(classesOf({ path, before, after })).toEqual(['build-script']);
});
