import { describe, expect, test } from 'vitest';
import { MAX_CHANGE_BYTES, MAX_NESTED, MAX_QUESTION_BYTES, MAX_QUESTIONS } from '../../src/gate/limits.ts';
import { decision, TestGate } from './support.ts';

const LS = { command: 'ls' };

describe('the answer about a call that the gateway saw', () => {
  test.each(['allow', 'deny'] as const)('is what the policy says: %s', async (verdict) => {
    const gate = new TestGate({ decide: () => decision(verdict) });
    gate.saw(['c1', 'bash', LS]);
    const reason = verdict === 'deny' ? { reason: 'Because of deny.' } : {};
    expect(await gate.ask('c1', 'bash', LS)).toEqual({ v: 1, verdict, ...reason });
    expect(gate.records).toMatchObject([
      {
        type: 'gate',
        call: 'c1',
        tool: 'bash',
        verdict,
        rule: `a-rule-that-says-${verdict}`,
        by: 'policy',
        seen: 'observed',
      },
    ]);
    expect(gate.kept).toEqual([{ call: 'c1', tool: 'bash', verdict, rule: `a-rule-that-says-${verdict}` }]);
  });

  test('may be other arguments', async () => {
    const changed = { command: 'ls', timeout: 5 };
    const gate = new TestGate({ decide: () => decision('change', { arguments: changed }) });
    gate.saw(['c1', 'bash', LS]);
    expect(await gate.ask('c1', 'bash', LS)).toEqual({ v: 1, verdict: 'change', arguments: changed });
    expect(gate.records).toMatchObject([{ verdict: 'change', arguments: changed }]);
  });

  test('is taken on all that is known of it', async () => {
    const gate = new TestGate();
    const paths = [{ argument: 'path', resolved: '/workspace/a', real: '/etc/a' }];
    const annotations = { readOnlyHint: true };
    gate.saw(['c1', 'read', { path: 'a' }]);
    await gate.ask('c1', 'read', { path: 'a' }, { paths, annotations });
    expect(gate.judged).toEqual([
      { tool: 'read', arguments: { path: 'a' }, workspace: '/workspace', paths, annotations, nested: false },
    ]);
  });

  test('is the same when asked again, and is decided and recorded once', async () => {
    let decided = 0;
    const gate = new TestGate({ decide: () => decision(++decided === 1 ? 'deny' : 'allow') });
    gate.saw(['c1', 'bash', LS]);
    const [first, second] = await Promise.all([gate.ask('c1', 'bash', LS), gate.ask('c1', 'bash', LS)]);
    expect(second).toEqual(first);
    expect(await gate.ask('c1', 'bash', LS)).toEqual(first);
    expect(gate.records).toHaveLength(1);
  });

  test('is a denial when the guard itself refuses, whatever the policy says', async () => {
    const gate = new TestGate();
    gate.saw(['c1', 'read', { path: 'pipe' }]);
    const answer = await gate.ask('c1', 'read', { path: 'pipe' }, { refused: 'it is a pipe' });
    expect(answer).toEqual({ v: 1, verdict: 'deny', reason: 'it is a pipe' });
    expect(gate.records).toMatchObject([{ verdict: 'deny', rule: 'guard', by: 'guard', reason: 'it is a pipe' }]);
  });

  test.each([
    ['throws', () => Promise.reject(new Error('a fault'))],
    ['names no change', () => decision('change')],
    ['changes too much', () => decision('change', { arguments: { command: 'x'.repeat(MAX_CHANGE_BYTES) } })],
  ])('is a denial that says so when the policy %s (M10)', async (_what, decide) => {
    const gate = new TestGate({ decide });
    gate.saw(['c1', 'bash', LS]);
    expect(await gate.ask('c1', 'bash', LS)).toMatchObject({
      verdict: 'deny',
      reason: expect.stringMatching(/^The policy could not decide on this call: /),
    });
    expect(gate.records).toMatchObject([{ verdict: 'deny', rule: 'gate.failed' }]);
  });

  test('does not go out when it cannot be kept, and the call stays without permission', async () => {
    const gate = new TestGate({
      keep: () => {
        throw new Error('disk full');
      },
    });
    gate.saw(['c1', 'bash', LS]);
    await expect(gate.ask('c1', 'bash', LS)).rejects.toThrow('disk full');
    await expect(gate.ask('c1', 'bash', LS)).rejects.toThrow('disk full');
    expect(gate.records).toEqual([]);
    expect(gate.back('c1')).toContain('although the gate had not allowed it');
  });
});

describe('a question about something that the gateway did not see', () => {
  test.each([
    ['an id that no call has', 'c2', 'bash', LS, {}, 'gate.unknown-call'],
    ['another tool', 'c1', 'read', LS, {}, 'gate.other-call'],
    ['other arguments', 'c1', 'bash', { command: 'rm -rf /' }, {}, 'gate.other-call'],
    ['more arguments', 'c1', 'bash', { ...LS, timeout: 1 }, {}, 'gate.other-call'],
    ['fewer arguments', 'c1', 'bash', {}, {}, 'gate.other-call'],
    ['a maker of the call', 'c1', 'bash', LS, { parent: 'c1' }, 'gate.other-call'],
    ['a call that pi refuses by itself', 'c3', 'bash', LS, {}, 'gate.other-call'],
  ])('%s is denied, and never judged by the policy', async (_what, id, tool, args, more, rule) => {
    const gate = new TestGate();
    gate.saw(['c1', 'bash', LS], ['c3', 'bash', undefined]);
    expect(await gate.ask(id, tool, args, more)).toMatchObject({ verdict: 'deny' });
    expect(gate.records).toMatchObject([{ call: id, tool, verdict: 'deny', rule, by: 'gateway' }]);
    expect(gate.judged).toEqual([]);
  });

  test.each([
    ['the order of keys', { a: 1, b: [{ c: 1, d: 2 }] }, { b: [{ d: 2, c: 1 }], a: 1 }],
    ['what JSON does not have', { a: -0, b: undefined }, { a: 0 }],
  ])('%s makes no difference', async (_what, seen, asked) => {
    const gate = new TestGate();
    gate.saw(['c1', 'bash', seen]);
    expect(await gate.ask('c1', 'bash', asked)).toMatchObject({ verdict: 'allow' });
  });

  test.each([
    ['a number and its text', { a: '1' }, { a: 1 }],
    ['null and absent', { a: null }, {}],
    ['a list and its only element', { a: [1] }, { a: 1 }],
    ['two keys that read as one', { 'a":1,"b': 1 }, { a: 1, b: 1 }],
  ])('%s are not the same', async (_what, seen, asked) => {
    const gate = new TestGate();
    gate.saw(['c1', 'bash', seen]);
    expect(await gate.ask('c1', 'bash', asked)).toMatchObject({ verdict: 'deny' });
  });

  test('arguments too deep to be compared are denied', async () => {
    const gate = new TestGate();
    const deep = { command: JSON.parse(`${'['.repeat(100)}1${']'.repeat(100)}`) as unknown };
    gate.saw(['c1', 'bash', deep]);
    expect(await gate.ask('c1', 'bash', LS)).toMatchObject({ verdict: 'deny' });
    expect(await gate.ask('c1', 'bash', deep)).toMatchObject({ refused: 'depth' });
  });

  test('once a call was decided, a strange question about it changes nothing', async () => {
    const gate = new TestGate();
    gate.saw(['c1', 'bash', LS]);
    expect(await gate.ask('c1', 'bash', LS)).toMatchObject({ verdict: 'allow' });
    expect(await gate.ask('c1', 'bash', { command: 'rm' })).toMatchObject({ verdict: 'deny' });
    expect(await gate.ask('c1', 'bash', LS)).toMatchObject({ verdict: 'allow' });
    expect(gate.back('c1')).toBeUndefined();
    // Whoever reads the records must not take the second for what became of the call.
    expect(gate.records).toMatchObject([{ verdict: 'allow' }, { verdict: 'deny', stray: true }]);
    expect(gate.records[0]).not.toHaveProperty('stray');
  });

  test('a strange question comes first: the call is denied for good', async () => {
    const gate = new TestGate();
    gate.saw(['c1', 'bash', LS]);
    expect(await gate.ask('c1', 'bash', { command: 'rm' })).toMatchObject({ verdict: 'deny' });
    expect(await gate.ask('c1', 'bash', LS)).toMatchObject({ verdict: 'deny' });
  });
});

describe('a nested call (M12)', () => {
  const nested = { parent: 'c1' };

  test('is judged by the same rules, as a claim', async () => {
    const gate = new TestGate({ decide: ({ nested: made }) => decision(made ? 'deny' : 'allow') });
    gate.saw(['c1', 'codemode', { code: 'x' }]);
    await gate.ask('c1', 'codemode', { code: 'x' });
    expect(await gate.ask('c1/1', 'bash', LS, nested)).toMatchObject({ verdict: 'deny' });
    expect(gate.records[1]).toMatchObject({ call: 'c1/1', parent: 'c1', seen: 'claimed', by: 'policy' });
  });

  test('is bound to its first arguments', async () => {
    const gate = new TestGate();
    gate.saw(['c1', 'codemode', {}]);
    await gate.ask('c1', 'codemode', {});
    expect(await gate.ask('c1/1', 'bash', LS, nested)).toMatchObject({ verdict: 'allow' });
    expect(await gate.ask('c1/1', 'bash', { command: 'rm' }, nested)).toMatchObject({ verdict: 'deny' });
    expect(await gate.ask('c1/1', 'bash', LS)).toMatchObject({ verdict: 'deny' });
  });

  test.each([
    ['of a call that nobody saw', 'c9/1', 'bash', 'c9'],
    ['of a call that was not allowed', 'c2/1', 'bash', 'c2'],
    ['of a tool that makes none', 'c3/1', 'bash', 'c3'],
    ['with an id that is not built from its maker', 'c1-1', 'bash', 'c1'],
    ['with a number that is none', 'c1/x', 'bash', 'c1'],
    ['of a tool outside of the plan', 'c1/1', 'write', 'c1'],
    ['of the tool that makes such calls', 'c1/1', 'codemode', 'c1'],
    ['of a tool of an MCP server', 'c4/1', 'bash', 'c4'],
  ])('%s is denied', async (_what, id, tool, parent) => {
    const gate = new TestGate();
    gate.saw(['c1', 'codemode', {}], ['c2', 'codemode', {}], ['c3', 'bash', LS], ['c4', 'mcp__x__now', {}]);
    await gate.ask('c1', 'codemode', {});
    await gate.ask('c3', 'bash', LS);
    await gate.ask('c4', 'mcp__x__now', {});
    expect(await gate.ask(id, tool, LS, { parent })).toMatchObject({ verdict: 'deny' });
    expect(gate.judged).toHaveLength(3);
  });
});

describe('nested calls come to an end (M13)', () => {
  test('of one call, and others go on', async () => {
    const gate = new TestGate();
    gate.saw(['c1', 'codemode', {}], ['c2', 'codemode', {}]);
    await gate.ask('c1', 'codemode', {});
    await gate.ask('c2', 'codemode', {});
    for (let n = 1; n <= MAX_NESTED; n++) {
      expect(await gate.ask(`c1/${n}`, 'bash', LS, { parent: 'c1' })).toMatchObject({ verdict: 'allow' });
    }
    expect(await gate.ask(`c1/${MAX_NESTED + 1}`, 'bash', LS, { parent: 'c1' })).toMatchObject({ verdict: 'deny' });
    expect(gate.records.at(-1)).toMatchObject({ rule: 'gate.limit', by: 'gateway' });
    // One that was answered keeps its answer.
    expect(await gate.ask('c1/1', 'bash', LS, { parent: 'c1' })).toMatchObject({ verdict: 'allow' });
    expect(await gate.ask('c2/1', 'bash', LS, { parent: 'c2' })).toMatchObject({ verdict: 'allow' });
  });
});

describe('what is no question', () => {
  test.each([
    ['{', 'json'],
    ['\xff', 'json'],
    ['[]', 'schema'],
    ['{"v":2,"call":"c","tool":"t","arguments":{},"paths":[]}', 'schema'],
    ['{"v":1,"call":"c","tool":"t","arguments":{},"paths":[],"more":1}', 'schema'],
    ['{"v":1,"call":"","tool":"t","arguments":{},"paths":[]}', 'schema'],
    ['{"v":1,"call":"c","tool":"t","arguments":[],"paths":[]}', 'schema'],
    [`${'['.repeat(100)}${']'.repeat(100)}`, 'depth'],
    [`[${'1,'.repeat(300_000)}1]`, 'values'],
  ])('%# is refused: %s', async (text, refused) => {
    const { gate, records } = new TestGate();
    const bytes = Buffer.from(text, 'latin1');
    expect(await gate.answer(bytes, new AbortController().signal)).toMatchObject({ refused, status: 400 });
    expect(records).toEqual([]);
  });

  test('questions come to an end', async () => {
    const gate = new TestGate();
    expect(gate.gate.questionBytes).toBe(MAX_QUESTION_BYTES);
    for (let n = 0; n < MAX_QUESTIONS; n++) await gate.ask('c', 'bash', LS);
    expect(await gate.ask('c', 'bash', LS)).toMatchObject({ refused: 'limit', status: 403 });
    expect(gate.records).toHaveLength(MAX_QUESTIONS);
  });
});
