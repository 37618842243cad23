import type { Message, ToolCall } from '@earendil-works/pi-ai';
import { beforeEach, describe, expect, test } from 'vitest';
import { PreparedArguments } from '../../src/gateway/prepared-arguments.ts';

/** Schemas as pi 1.6.0 declares them, without their descriptions. */
const text = { type: 'string' };
const number = { type: 'number' };
const pair = { type: 'object', properties: { oldText: text, newText: text }, required: ['oldText', 'newText'] };
const TOOLS = {
  bash: { type: 'object', properties: { command: text, timeout: number }, required: ['command'] },
  edit: {
    type: 'object',
    properties: { path: text, edits: { type: 'array', items: pair } },
    required: ['path', 'edits'],
  },
};

let prepared: PreparedArguments;
const declaring = (tools: Readonly<Record<string, object>>): Message => ({
  role: 'system',
  content: '',
  toolsAdded: Object.entries(tools).map(([name, parameters]) => ({ name, description: '', parameters })) as never,
  timestamp: 1,
});
const call = (name: string, args: object): ToolCall => ({ type: 'toolCall', id: 'c', name, arguments: args as never });

beforeEach(async () => {
  prepared = new PreparedArguments();
  await prepared.load();
  prepared.declare([declaring(TOOLS)]);
});

const EDIT = { oldText: 'a', newText: 'b' };

describe('arguments as pi hands them to its guard', () => {
  test.each([
    ['bash', { command: 'ls' }, { command: 'ls' }],
    ['bash', { command: 5, timeout: '7' }, { command: '5', timeout: 7 }],
    ['bash', { command: true, timeout: null }, { command: 'true' }],
    ['bash', { command: 'ls', more: null, other: [1] }, { command: 'ls', more: null, other: [1] }],
    ['edit', { path: 'f', edits: [EDIT] }, { path: 'f', edits: [EDIT] }],
    ['edit', { path: 'f', ...EDIT }, { path: 'f', edits: [EDIT] }],
    ['edit', { path: 'f', edits: EDIT }, { path: 'f', edits: [EDIT] }],
    ['edit', { path: 'f', edits: JSON.stringify(EDIT) }, { path: 'f', edits: [EDIT] }],
    ['edit', { path: 'f', edits: JSON.stringify([EDIT, EDIT]) }, { path: 'f', edits: [EDIT, EDIT] }],
    ['edit', { path: 'f', edits: JSON.stringify([EDIT]), ...EDIT }, { path: 'f', edits: [EDIT, EDIT] }],
    ['edit', { path: 'f', edits: [EDIT], oldText: 'only one' }, { path: 'f', edits: [EDIT], oldText: 'only one' }],
  ])('%s %j', (name, given, expected) => {
    const before = structuredClone(given);
    expect(prepared.of(call(name, given))).toEqual(expected);
    expect(given).toEqual(before);
  });

  test.each([
    ['an unknown tool', 'nosuch', {}],
    ['missing arguments', 'bash', {}],
    ['arguments of the wrong type', 'bash', { command: ['x'] }],
    ['edits that are no JSON', 'edit', { path: 'f', edits: '[' }],
  ])('are none for %s, which pi refuses by itself', (_what, name, given) => {
    expect(prepared.of(call(name, given))).toBeUndefined();
  });

  test('are none when pi could not read them', () => {
    expect(prepared.of({ ...call('bash', { command: 'ls' }), argumentsError: 'not JSON' })).toBeUndefined();
  });

  test('follow the first declarations of the run: later ones could be anybody\u2019s', () => {
    const loose = { type: 'object', properties: {} };
    prepared.declare([declaring({ bash: loose, nosuch: loose })]);
    expect(prepared.of(call('bash', { command: 5 }))).toEqual({ command: '5' });
    expect(prepared.of(call('nosuch', {}))).toBeUndefined();
  });

  test('and of a tool that may come later, the first one that comes (M13)', async () => {
    const loose = { type: 'object', properties: {} };
    const later = new PreparedArguments(['mcp__clock__now']);
    await later.load();
    later.declare([declaring({ bash: loose })]);
    expect(later.of(call('mcp__clock__now', {}))).toBeUndefined();
    later.declare([declaring({ mcp__clock__now: TOOLS.bash })]);
    later.declare([declaring({ mcp__clock__now: loose })]);
    expect(later.of(call('mcp__clock__now', {}))).toBeUndefined();
    expect(later.of(call('mcp__clock__now', { command: 'x' }))).toEqual({ command: 'x' });
  });
});

test('a regular expression of a schema is never run: it could take for ever', async () => {
  const endless = { type: 'string', pattern: '^(a+)+$' };
  const schema = { type: 'object', properties: { pattern: endless }, patternProperties: { '^(a+)+$': {} } };
  const later = new PreparedArguments();
  later.declare([declaring({ grep: schema })]);
  await later.load();
  const args = { pattern: `${'a'.repeat(5_000)}!`, [`${'a'.repeat(5_000)}!`]: 1 };
  expect(later.of(call('grep', args))).toEqual(args);
  expect(later.of(call('grep', { pattern: 7 }))).toEqual({ pattern: '7' });
  expect(later.of(call('grep', { pattern: {} }))).toBeUndefined();
});
