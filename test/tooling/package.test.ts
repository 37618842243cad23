import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { beforeAll, expect, test } from 'vitest';

const root = path.join(import.meta.dirname, '../..');
const Packed = Type.Tuple([Type.Object({ files: Type.Array(Type.Object({ path: Type.String() })) })]);
const Package = Type.Object({ scripts: Type.Record(Type.String(), Type.String()) });

let files: string[];
beforeAll(() => {
  const args = ['pack', '--dry-run', '--json', '--ignore-scripts', '--offline'];
  const packed: unknown = JSON.parse(execFileSync('npm', args, { cwd: root, encoding: 'utf8' }));
  Value.Assert(Packed, packed);
  files = (packed as Static<typeof Packed>)[0].files.map((file) => file.path);
}, 30_000);

test('a package holds the command, the library, the guest side and the scenarios that the documents name', () => {
  expect(files).toEqual(
    expect.arrayContaining([
      'bin/pi-sandbox.mjs',
      'dist/cli/main.js',
      'dist/src/index.js',
      'dist/images/guest/bridge.mjs',
      'Dockerfile.pi',
      'schemas/run-request.schema.json',
      'examples/scenarios/tour.yaml',
    ]),
  );
});

test('a package holds no dependency, no hostile file and nothing that a user wrote while using it', () => {
  expect(files.filter((file) => /node_modules|hostile-repo|compile-cache|^test\//.test(file))).toEqual([]);
});

test('packing builds first, so that a clone which was not built makes no empty package', () => {
  const parsed: unknown = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8'));
  Value.Assert(Package, parsed);
  expect((parsed as Static<typeof Package>).scripts['prepack']).toContain('scripts/setup --no-engine');
});
