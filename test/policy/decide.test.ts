import { describe, expect, test } from 'vitest';
import { decide } from '../../src/policy/decide.ts';
import { SHIPPED_PATHS } from '../../src/policy/shipped-paths.ts';
import type { JudgedCall, RuleMatch } from '../../src/protocol/gate.ts';
import type { ToolRule, Verdict } from '../../src/protocol/policy.ts';
import { callOf, judgeOf, plainJudge, policyWith } from './support.ts';

const ALLOW = { read: 'allow', write: 'allow' } as const;
const shipped = policyWith({ paths: { inside: ALLOW, outside: ALLOW, rules: [...SHIPPED_PATHS] } });
const match = (rule: string, verdict: Verdict, subject = rule): RuleMatch => ({
  rule,
  verdict,
  reason: 'Why.',
  subject,
  detail: 'how',
});
const bash = (args: Record<string, unknown> = {}) => callOf('bash', { command: 'x', ...args });

describe('what cannot be judged is denied (M10)', () => {
  test.each<[string, JudgedCall]>([
    ['a path that is no text', callOf('read', { path: 5 })],
    ['a list of paths', callOf('read', { path: ['a'] })],
    ['no path', callOf('write', { content: '' })],
    ['a path with a NUL', callOf('edit', { path: 'a\0b' })],
    ['a NUL in an address', callOf('read', { path: 'file:///a%00b' })],
    ['an address of another host', callOf('read', { path: 'file://host/a' })],
    ['an address with a hidden slash', callOf('read', { path: 'file:///a%2Fb' })],
    ['a huge path', callOf('read', { path: 'a'.repeat(5000) })],
    ['a search in what is no path', callOf('grep', { pattern: 'x', path: {} })],
    [
      'a claimed path that is relative',
      callOf('read', { path: 'a' }, { paths: [{ argument: 'path', resolved: 'a' }] }),
    ],
    ['too many claims', callOf('read', { path: 'a' }, { paths: Array(65).fill({ argument: 'path', resolved: '/a' }) })],
    ['no command', callOf('bash', {})],
    ['a command that is no text', callOf('bash', { command: ['ls'] })],
    ['a command with a NUL', callOf('bash', { command: 'a\0b' })],
  ])('%s', (_what, call) => {
    const decision = decide(shipped, call, plainJudge);
    expect(decision).toMatchObject({ verdict: 'deny', rule: 'arguments' });
    expect(decision.reason).toMatch(/^This call cannot be judged, so it is not made: [^\n]+\.$/);
  });

  test('also when the judge of commands breaks', () => {
    const broken = () => {
      throw new Error('out of order');
    };
    expect(decide(shipped, bash(), broken)).toMatchObject({ verdict: 'deny', rule: 'arguments' });
  });

  test('and commands of a shell without a grammar', () => {
    const policy = policyWith({ tools: { names: ['powershell'], rules: [] } });
    expect(decide(policy, callOf('powershell', { command: 'ls' }), plainJudge).verdict).toBe('deny');
  });
});

describe('of all rules the strictest counts', () => {
  test.each<[Verdict[], string]>([
    [['allow', 'ask'], 'ask'],
    [['ask', 'deny', 'allow'], 'deny'],
    [['allow', 'allow'], 'allow'],
  ])('%j is %s', (verdicts, expected) => {
    const matches = verdicts.map((verdict, at) => match(`r${at}`, verdict));
    expect(decide(policyWith(), bash(), judgeOf([], matches)).verdict).toBe(expected);
  });

  test('over the kinds of rules', () => {
    const rules: ToolRule[] = [{ id: 'no-bash', verdict: 'deny', reason: 'No.', tools: ['bash'] }];
    const policy = policyWith({ tools: { names: ['bash'], rules } });
    const decision = decide(policy, bash(), judgeOf([], [match('git-push', 'ask')]));
    expect(decision).toMatchObject({ verdict: 'deny', rule: 'no-bash', reason: 'No.', subject: 'tool bash' });
    expect(decision.matched.map(({ rule }) => rule)).toEqual(['no-bash', 'git-push']);
  });

  test('a rule gives the reason, where a default is as strict', () => {
    const matches = [match('commands.default', 'ask'), match('git-push', 'ask')];
    expect(decide(policyWith(), bash(), judgeOf([], matches)).rule).toBe('git-push');
  });

  test('a yes covers all that asked', () => {
    const matches = [match('a', 'ask', 'git push'), match('b', 'ask', 'npm publish'), match('c', 'allow', 'ls')];
    expect(decide(policyWith(), bash(), judgeOf([], matches)).subject).toBe('git push; npm publish (b)');
  });

  test('a yes to one rule is none to another that asks about the same', () => {
    const subject = (...rules: string[]) =>
      decide(
        policyWith(),
        bash(),
        judgeOf(
          [],
          rules.map((rule) => match(rule, 'ask', 'python3')),
        ),
      ).subject;
    expect(subject('a')).toBe('python3');
    expect(subject('a', 'b')).toBe('python3; python3 (b)');
    expect(new Set([subject('a'), subject('a', 'b'), subject('a', 'c'), subject('a', 'b', 'c')]).size).toBe(4);
  });

  test('long subjects and those with line breaks stay different', () => {
    const subjects = ['a\nb', 'a b', `${'x'.repeat(400)}1`, `${'x'.repeat(400)}2`].map(
      (subject) => decide(policyWith(), bash(), judgeOf([], [match('a', 'ask', subject)])).subject,
    );
    expect(new Set(subjects).size).toBe(4);
    for (const subject of subjects) expect(subject).toMatch(/^[^\n]{1,300}$/);
  });
});

describe('tool rules', () => {
  const on = (rule: Partial<ToolRule>, call: JudgedCall) =>
    decide(
      policyWith({ tools: { names: ['bash', 'ls'], rules: [{ id: 'r', verdict: 'ask', reason: 'No.', ...rule }] } }),
      call,
      judgeOf(),
    );
  const odd = (more: Partial<JudgedCall> = {}) => callOf('mcp_delete', {}, more);

  test('go by name', () => {
    expect(on({ tools: ['mcp_*'] }, odd()).verdict).toBe('ask');
    expect(on({ tools: ['mcp'] }, odd()).verdict).toBe('allow');
  });

  test('go by hints, all of them, and say that they are unverified (M11)', () => {
    const rule = { annotations: { destructiveHint: true, readOnlyHint: false } };
    const met = on(rule, odd({ annotations: { destructiveHint: true, readOnlyHint: false } }));
    expect(met.verdict).toBe('ask');
    expect(met.matched[0]?.detail).toContain('unverified');
    expect(on(rule, odd({ annotations: { destructiveHint: true } })).verdict).toBe('allow');
    expect(on(rule, odd()).verdict).toBe('allow');
  });

  test('go by who makes the call (M12)', () => {
    expect(on({ nested: true }, odd({ nested: true })).verdict).toBe('ask');
    expect(on({ nested: true }, odd()).verdict).toBe('allow');
    expect(on({ nested: false }, odd()).verdict).toBe('ask');
  });

  test('a built-in tool that the policy does not give is denied, also to another tool (M4)', () => {
    for (const nested of [false, true]) {
      const decision = on({ tools: ['x'] }, callOf('write', { path: 'a', content: '' }, { nested }));
      expect(decision).toMatchObject({ verdict: 'deny', rule: 'tools.names' });
    }
  });
});

describe('a timeout that is longer than the policy allows', () => {
  const policy = policyWith({ maxBashTimeoutSeconds: 60 });
  test.each([
    [600, 60],
    ['600', 60],
    [' 6e2 ', 60],
    ['0x100', 60],
    [60.5, 60],
    [Number.POSITIVE_INFINITY, 60],
    ['Infinity', 60],
    [1e300, 60],
  ])('%j becomes %j', (timeout, seconds) => {
    const decision = decide(policy, bash({ timeout }), judgeOf());
    expect(decision).toMatchObject({ verdict: 'change', rule: 'limits.maxBashTimeout' });
    expect(decision.arguments).toEqual({ command: 'x', timeout: seconds });
  });

  test.each([60, '60', 1, 0, -5, '', 'soon', true, {}, Number.NaN])('%j is left', (timeout) => {
    const decision = decide(policy, bash({ timeout }), judgeOf());
    expect(decision.verdict).toBe('allow');
    expect(decision.arguments).toBeUndefined();
  });

  test('is changed as well when somebody has to say yes, and not looked at when the call is denied', () => {
    const asked = decide(policy, bash({ timeout: 600 }), judgeOf([], [match('r', 'ask')]));
    expect(asked).toMatchObject({ verdict: 'ask', rule: 'r', arguments: { command: 'x', timeout: 60 } });
    const denied = decide(policy, bash({ timeout: 600 }), judgeOf([], [match('r', 'deny')]));
    expect(denied).toMatchObject({ verdict: 'deny', rule: 'r' });
    expect(denied.arguments).toBeUndefined();
  });

  test.each([{}, { timeout: null }])('a call without one (%j) would have that of the run', (args) => {
    expect(policy.limits.bashTimeoutMs).toBeGreaterThan(60_000);
    expect(decide(policy, bash(args), judgeOf())).toMatchObject({ verdict: 'change', arguments: { timeout: 60 } });
    const short = { ...policy, limits: { ...policy.limits, bashTimeoutMs: 60_000 } };
    expect(decide(short, bash(args), judgeOf()).verdict).toBe('allow');
  });

  test('no cap, no change', () => {
    expect(decide(policyWith(), bash({ timeout: 1e9 }), judgeOf()).verdict).toBe('allow');
  });
});

describe('the decision is a pure function', () => {
  const calls: JudgedCall[] = [
    callOf('read', { path: '.env' }, { paths: [{ argument: 'path', resolved: '/workspace/.env' }] }),
    callOf('grep', { pattern: 'x', glob: '*.ts' }, { protectedFiles: ['.env'] }),
    callOf('bash', { command: 'cat .env; ls', timeout: 900 }),
    callOf('write', { path: '/opt/pi-sandbox/x', content: 'x' }),
    callOf('mcp_any', { deep: [[[[{}]]]] }, { annotations: { readOnlyHint: true } }),
    callOf('read', { path: 3 }),
  ];
  const policy = { ...shipped, maxBashTimeoutSeconds: 60 };

  test('the same call gives the same decision, whatever was decided before, and nothing is written to', () => {
    const frozen = deepFreeze(structuredClone({ policy, calls }));
    const first = frozen.calls.map((call) => decide(frozen.policy, call, plainJudge));
    const again = [...frozen.calls].reverse().map((call) => decide(frozen.policy, call, plainJudge));
    expect(again.reverse()).toEqual(first);
    const fresh = calls.map((call) => decide(structuredClone(policy), structuredClone(call), plainJudge));
    expect(fresh).toEqual(first);
    expect(first.map(({ verdict }) => verdict)).toEqual(['ask', 'allow', 'ask', 'deny', 'allow', 'deny']);
  });

  test('it is data', () => {
    for (const call of calls) {
      const decision = decide(policy, call, plainJudge);
      expect(JSON.parse(JSON.stringify(decision))).toEqual(decision);
    }
  });

  test('what it says to run passes, when it is judged again', () => {
    const decision = decide(policyWith({ maxBashTimeoutSeconds: 60 }), bash({ timeout: 900 }), judgeOf());
    const again = callOf('bash', decision.arguments ?? {});
    expect(decide(policyWith({ maxBashTimeoutSeconds: 60 }), again, judgeOf()).verdict).toBe('allow');
  });
});

function deepFreeze<T>(value: T): T {
  if (typeof value === 'object' && value !== null)
    for (const part of Object.values(Object.freeze(value))) deepFreeze(part);
  return value;
}
