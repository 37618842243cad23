import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { SandboxError } from '../../src/errors.ts';
import { resolveModel } from '../../src/gateway/model-source.ts';
import { parseScenario, readScript } from '../../src/gateway/scenario-file.ts';
import { Scenario } from '../../src/gateway/scenario-schema.ts';

test.each([
  [
    'an unknown key, with the nearest known one',
    'turns:\n  - text: a\n  - texd: b\n',
    'line 3 at turns.1.texd: unknown key "texd", did you mean "text"?',
  ],
  [
    'an unknown key of a tool',
    'turns:\n  - tools:\n      - name: bash\n        argument: {}\n',
    'line 4 at turns.0.tools.0.argument: unknown key "argument", did you mean "arguments"?',
  ],
  ['an unknown key at the top', 'turn: []\n', 'line 1 at turn: unknown key "turn", did you mean "turns"?'],
  ['a wrong type', 'turns:\n  - text: 5\n', 'line 2 at turns.0.text: expected string'],
  ['no turns', 'turns: []\n', 'line 1 at turns'],
  ['nothing', '', 'line 1'],
  ['a turn that says nothing', 'turns:\n  - text: a\n  - expect: b\n', 'line 3 at turns.1: a turn needs "text"'],
  [
    'an error that speaks',
    'turns:\n  - text: a\n    error: { status: 500 }\n',
    'line 2 at turns.0: a turn with "error" says nothing else',
  ],
  [
    'a cut after tools',
    'turns:\n  - text: a\n    cut: true\n    tools: [{ name: bash }]\n',
    'line 2 at turns.0: "cut" breaks off',
  ],
  ['a status that is no error', 'turns:\n  - error: { status: 200 }\n', 'line 2 at turns.0.error.status'],
  ['a duplicate key', 'turns:\n  - text: a\n    text: b\n', 'line 3'],
  ['broken YAML', 'turns:\n  - { text: a\n', 'line'],
  [
    'a fault in a named model',
    'models:\n  small:\n    turns:\n      - delays: 5s\n        text: a\n',
    'line 4 at models.small.turns.0.delays: unknown key "delays", did you mean "delay"?',
  ],
])('a scenario with %s is refused with place and line', (_name, yaml, text) => {
  expect(() => parseScenario(yaml, 'demo.yaml')).toThrow(SandboxError);
  expect(() => parseScenario(yaml, 'demo.yaml')).toThrow(`The scenario demo.yaml is wrong in ${text}`);
});

test('a bomb of aliases is refused', () => {
  const bomb = ['a: &a [x, x, x, x, x, x, x, x, x]'];
  for (const [from, to] of ['ab', 'bc', 'cd', 'de', 'ef', 'fg', 'gh'])
    bomb.push(`${to}: &${to} [${`*${from},`.repeat(9)}]`);
  expect(() => parseScenario(bomb.join('\n'), 'bomb.yaml')).toThrow(SandboxError);
});

test('a file that is missing, a folder or endless is refused with its name', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'scenario-'));
  await expect(readScript(join(folder, 'none.yaml'), 'none.yaml', undefined)).rejects.toThrow(
    'none.yaml does not exist',
  );
  await expect(readScript(folder, 'folder', undefined)).rejects.toThrow('not a regular file');
  await expect(readScript('/dev/zero', '/dev/zero', undefined)).rejects.toThrow('not a regular file');
  await rm(folder, { recursive: true });
});

test('the published schema is what the code checks', async () => {
  const published: unknown = JSON.parse(await readFile('schemas/scenario.schema.json', 'utf8'));
  const { $schema, $id, ...rest } = published as Record<string, unknown>;
  expect($schema).toBe('https://json-schema.org/draft/2020-12/schema');
  expect($id).toBeTypeOf('string');
  expect(rest).toEqual(JSON.parse(JSON.stringify(Scenario)));
});

test.each(['tour.yaml', 'failures.yaml', 'two-models.yaml#small'])('the example %s can be played', async (name) => {
  const source = await resolveModel(`scripted:examples/scenarios/${name}`, { env: () => undefined, cwd: '.' });
  expect(source.model).toMatchObject({ provider: 'scripted', api: 'scripted' });
});

test('every example in docs/scenarios.md is a scenario', async () => {
  const text = await readFile('docs/scenarios.md', 'utf8');
  const examples = [...text.matchAll(/```yaml\n([\s\S]*?)```/g)].map((match) => match[1]!);
  expect(examples.length).toBeGreaterThan(2);
  for (const example of examples) parseScenario(example, 'docs/scenarios.md');
});

test('an unknown model of a file is refused with the nearest known one', async () => {
  const spec = 'scripted:examples/scenarios/two-models.yaml#smal';
  await expect(resolveModel(spec, { env: () => undefined, cwd: '.' })).rejects.toMatchObject({
    code: 'scenario',
    hint: 'Did you mean "small"?',
  });
});
