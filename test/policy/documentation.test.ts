import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { TObject, TSchema } from '@sinclair/typebox';
import { expect, test } from 'vitest';
import { effectivePolicy } from '../../src/policy/effective.ts';
import { CommandRule, PathRule, PolicyFile, ToolRule } from '../../src/protocol/policy.ts';
import { layerOf } from './files.ts';

const docs = readFileSync(path.join(import.meta.dirname, '../../docs/policy.md'), 'utf8');
const example = readFileSync(path.join(import.meta.dirname, '../../examples/policies/team.yaml'), 'utf8');

/** `limits.timeout` and the like: every key that is no section. */
function keysOf(schema: TSchema, before = ''): string[] {
  return Object.entries((schema as TObject).properties).flatMap(([key, value]) =>
    value['type'] === 'object' && value['properties'] !== undefined
      ? keysOf(value, `${before}${key}.`)
      : [before + key],
  );
}

test.each(keysOf(PolicyFile))('the documentation names the key %s', (key) => {
  const last = key.slice(key.lastIndexOf('.') + 1);
  expect([key, `.${last}`, `"${key}"`].some((name) => docs.includes(`\`${name}\``))).toBe(true);
});

test.each([...new Set([CommandRule, PathRule, ToolRule].flatMap((schema) => Object.keys(schema.properties)))])(
  'the documentation names the field %s of a rule',
  (field) => expect(docs).toContain(`\`${field}\``),
);

test('the example in the documentation is a policy, and each of its lines stands in the whole example', () => {
  const text = /```yaml\n([^`]*)```/.exec(docs)?.[1] ?? '';
  expect(effectivePolicy({}, [layerOf(text)]).models.allow).toEqual(['anthropic/*', 'scripted:*']);
  const lines = example.split('\n').map((line) => line.trim());
  for (const line of text.split('\n')) expect(lines).toContain(line.replace(/ +#.*$/, '').trim());
});

test('what the documentation calls the default is the default', () => {
  const { limits, ask, projectFiles, paths, commands } = effectivePolicy({}, []);
  expect({ limits, ask, projectFiles }).toEqual({
    limits: {
      timeoutMs: 3_600_000,
      idleTimeoutMs: 1_200_000,
      bashTimeoutMs: 300_000,
      maxTurns: 200,
      maxTokens: 1_000_000,
      pids: 512,
    },
    ask: { timeoutMs: 300_000 },
    projectFiles: { contextFiles: true, maxContextFileBytes: 65_536, trust: false },
  });
  expect([commands.default, commands.unclear, ...Object.values(paths.inside), ...Object.values(paths.outside)]).toEqual(
    ['allow', 'ask', 'allow', 'allow', 'allow', 'allow'],
  );
});
