import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { cruise, type ICruiseOptions, type ICruiseResult, type IForbiddenRuleType } from 'dependency-cruiser';
import { afterEach, beforeEach, expect, test } from 'vitest';

interface Config {
  readonly forbidden: IForbiddenRuleType[];
  readonly options: ICruiseOptions;
}

const root = path.join(import.meta.dirname, '../..');
const config = createRequire(import.meta.url)('../../.dependency-cruiser.cjs') as Config;
let folder: string;

beforeEach(() => {
  folder = mkdtempSync(path.join(tmpdir(), 'import-rules-'));
  symlinkSync(path.join(root, 'node_modules'), path.join(folder, 'node_modules'));
  writeFileSync(path.join(folder, 'tsconfig.json'), '{"compilerOptions":{"module":"NodeNext"}}');
  writeFileSync(
    path.join(folder, 'package.json'),
    JSON.stringify({ type: 'module', dependencies: { dockerode: '*' } }),
  );
});
afterEach(() => rmSync(folder, { recursive: true, force: true }));

/** Names of the rules that a set of files breaks. */
async function broken(files: Readonly<Record<string, string>>): Promise<string[]> {
  for (const [name, text] of Object.entries(files)) {
    mkdirSync(path.dirname(path.join(folder, name)), { recursive: true });
    writeFileSync(path.join(folder, name), text);
  }
  const options = { ...config.options, baseDir: folder, ruleSet: { forbidden: config.forbidden }, validate: true };
  const { output } = await cruise(Object.keys(files), options);
  return [...new Set((output as ICruiseResult).summary.violations.map((violation) => violation.rule.name))];
}

const value = (from: string) => `import { a } from '${from}';\nexport const b = a;\n`;
const type = (from: string) => `import type { A } from '${from}';\nexport type B = A;\n`;
const both = 'export const a = 1;\nexport type A = number;\n';

test('a stage may use its own files, protocol, lib and errors.ts', async () => {
  const files = {
    'src/gateway/x.ts': [value('./y.ts'), type('../protocol/p.ts'), type('../lib/l.ts'), type('../errors.ts')].join(''),
    'src/gateway/y.ts': both,
    'src/protocol/p.ts': both,
    'src/lib/l.ts': both,
    'src/errors.ts': both,
  };
  expect(await broken(files)).toEqual([]);
});

test('a stage may not use the code of an earlier stage, but may name its types', async () => {
  expect(await broken({ 'src/gateway/x.ts': value('../plan/y.ts'), 'src/plan/y.ts': both })).toEqual([
    'gateway-stands-alone',
  ]);
  expect(await broken({ 'src/gateway/x.ts': type('../plan/y.ts'), 'src/plan/y.ts': both })).toEqual([]);
});

test('a stage may not even name a type of a later stage', async () => {
  expect(await broken({ 'src/plan/x.ts': type('../gateway/y.ts'), 'src/gateway/y.ts': both })).toEqual([
    'plan-knows-no-later-stage',
  ]);
});

test('run.ts joins the stages, and no stage reaches back to it', async () => {
  expect(await broken({ 'src/run.ts': value('./plan/y.ts'), 'src/plan/y.ts': both })).toEqual([]);
  expect(await broken({ 'src/events/x.ts': type('../run.ts'), 'src/run.ts': both })).toEqual([
    'events-knows-no-later-stage',
  ]);
});

/** Imports that one rule refuses: the file, what it imports, and where the same import is at home. */
const homes: readonly { rule: string; file: string; from: string; home?: string }[] = [
  {
    rule: 'dockerode-behind-one-file',
    file: 'src/container/x.ts',
    from: 'dockerode',
    home: 'src/container/dockerode-client.ts',
  },
  {
    rule: 'tar-stream-behind-one-file',
    file: 'src/workspace/x.ts',
    from: 'tar-stream',
    home: 'src/container/image/context.ts',
  },
  { rule: 'execa-behind-one-file', file: 'src/workspace/x.ts', from: 'execa', home: 'src/lib/command.ts' },
  { rule: 'execa-behind-one-file', file: 'src/workspace/x.ts', from: 'node:child_process', home: 'src/lib/command.ts' },
  { rule: 're2js-behind-one-file', file: 'src/policy/x.ts', from: 're2js', home: 'src/lib/linear-regexp.ts' },
  { rule: 'pi-ai-in-the-gateway', file: 'src/plan/x.ts', from: '@earendil-works/pi-ai', home: 'src/gateway/x.ts' },
  { rule: 'commander-in-the-cli', file: 'src/request/x.ts', from: 'commander', home: 'src/cli/x.ts' },
  { rule: 'plan-is-pure', file: 'src/plan/x.ts', from: 'node:fs', home: 'src/workspace/x.ts' },
  { rule: 'plan-is-pure', file: 'src/plan/x.ts', from: 'node:fs/promises', home: 'src/workspace/x.ts' },
  { rule: 'plan-is-pure', file: 'src/plan/x.ts', from: 'os', home: 'src/workspace/x.ts' },
  { rule: 'plan-is-pure', file: 'src/plan/x.ts', from: 'node:net', home: 'src/workspace/x.ts' },
  { rule: 'environment-is-read-by-the-cli', file: 'src/gateway/x.ts', from: 'node:process', home: 'src/cli/x.ts' },
  { rule: 'guest-has-no-dependencies', file: 'images/guest/x.mts', from: '@sinclair/typebox', home: 'src/events/x.ts' },
  { rule: 'every-import-exists', file: 'src/lib/x.ts', from: './missing.ts' },
];

test.each(homes)('$rule: $file may not import $from', async ({ rule, file, from, home }) => {
  expect(await broken({ [file]: value(from) })).toContain(rule);
  if (home !== undefined) expect(await broken({ [home]: value(from) })).not.toContain(rule);
});

test('the guest shares the protocol with the host and nothing else', async () => {
  expect(await broken({ 'images/guest/x.mts': value('../../src/protocol/p.ts'), 'src/protocol/p.ts': both })).toEqual(
    [],
  );
  expect(await broken({ 'images/guest/x.mts': value('../../src/lib/l.ts'), 'src/lib/l.ts': both })).toEqual([
    'guest-shares-the-protocol-only',
  ]);
  expect(await broken({ 'src/lib/l.ts': value('../../images/guest/g.mts'), 'images/guest/g.mts': both })).toContain(
    'host-and-guest-are-apart',
  );
});

test('two files that need each other at run time are refused, types in a circle are not', async () => {
  expect(await broken({ 'src/lib/x.ts': value('./y.ts'), 'src/lib/y.ts': `${both}${value('./x.ts')}` })).toEqual([
    'no-circle',
  ]);
  expect(
    await broken({ 'src/lib/x.ts': `${type('./y.ts')}export type A = 1;`, 'src/lib/y.ts': both + type('./x.ts') }),
  ).toEqual([]);
});

test('every import rule says why it exists', () => {
  for (const rule of config.forbidden) expect(rule.comment?.length, rule.name).toBeGreaterThan(20);
});
