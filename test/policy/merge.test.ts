import { describe, expect, test } from 'vitest';
import { strictParse } from '../../src/lib/strict-parse.ts';
import { effectivePolicy, mergePolicy, policyDigest } from '../../src/policy/effective.ts';
import { Policy } from '../../src/protocol/policy.ts';
import type { RunRequest } from '../../src/request/run-request.ts';
import { refusal } from '../plan/support.ts';
import { layerOf } from './files.ts';

const OWN = '/home/u/.config/pi-sandbox/policy.yaml';
const TEAM = '/etc/team.yaml';
const own = (text: string) => layerOf(`version: 1\n${text}`, OWN);
const team = (text: string) => layerOf(`version: 1\n${text}`, TEAM);
const rule = (id: string, verdict = 'deny') => `{id: ${id}, verdict: ${verdict}, reason: No., programs: [x]}`;
const commands = (...rules: string[]) => `commands: {rules: [${rules.join(', ')}]}\n`;

/** The policy of these layers; the first two weaker than the request. */
function policyOf(files: ReturnType<typeof own>[], request: Partial<RunRequest> = {}): Policy {
  const policy = effectivePolicy(request, files);
  expect(strictParse(Policy, policy)).toEqual({ ok: true, value: policy });
  return policy;
}

const said = (...files: ReturnType<typeof own>[]) =>
  (mergePolicy({}, files).problems ?? []).map(({ message }) => message);

describe('the layers of a policy, weakest first: built in, profile, own file, --policy, options', () => {
  test('a stronger layer takes the place of a single value, and each value remembers its layer', () => {
    const files = [
      own('limits: {timeout: 2h, pids: 99, memory: 1g}\nask: {timeout: 1m}\n'),
      team('limits: {timeout: 3h, pids: 100}\nworkspace: {mode: copy}\n'),
    ];
    const { limits, ask, origins, workspace } = policyOf(files, { pids: 101 });
    expect(limits).toMatchObject({ timeoutMs: 3 * 3_600_000, pids: 101, memory: 1024 ** 3, maxTurns: 200 });
    expect(ask).toEqual({ timeoutMs: 60_000 });
    expect(workspace.mode).toBe('copy');
    expect(origins).toMatchObject({
      '/limits/timeoutMs': `${TEAM}:2`,
      '/limits/pids': 'option --pids',
      '/limits/memory': `${OWN}:2`,
      '/ask/timeoutMs': `${OWN}:3`,
      '/limits/maxTurns': 'built in',
      '/projectFiles/contextFiles': 'profile edit',
    });
  });

  test('are named in order, files with their digest', () => {
    expect(policyOf([own(''), team('')]).layers).toEqual([
      { origin: 'built in' },
      { origin: 'profile edit' },
      { origin: OWN, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { origin: TEAM, sha256: expect.stringMatching(/^[0-9a-f]{64}$/) },
      { origin: 'options' },
    ]);
  });

  test('rules and lists of paths are added up', () => {
    const files = [own(`${commands(rule('a'))}workspace: {include: [x], exclude: [y]}`), team(commands(rule('b')))];
    const policy = policyOf(files, { include: ['z'] });
    expect(policy.commands.rules.map(({ id }) => id).slice(-2)).toEqual(['a', 'b']);
    expect(policy.workspace).toMatchObject({ include: ['x', 'z'], exclude: ['y'] });
    expect(policy.origins).toMatchObject({
      'rule:a': `${OWN}:2`,
      'rule:b': `${TEAM}:2`,
      '/workspace/include/1': 'option --include',
    });
  });

  test('a cap on the time of commands holds for those that name none, wherever either was set', () => {
    const capped = policyOf([own('limits: {maxBashTimeout: 1m}')], { bashTimeoutMs: 90_000 });
    expect(capped.limits.bashTimeoutMs).toBe(60_000);
    expect(capped.origins['/limits/bashTimeoutMs']).toBe(`${OWN}:2`);
    const short = policyOf([own('limits: {maxBashTimeout: 1m, bashTimeout: 30s}')]);
    expect(short.limits.bashTimeoutMs).toBe(30_000);
  });

  test('the list of models is replaced', () => {
    expect(policyOf([own('models: {allow: [a/*, b/*]}'), team('models: {allow: ["c/*"]}')]).models.allow).toEqual([
      'c/*',
    ]);
  });

  test('none can be forgotten by naming an empty list', () => {
    expect(policyOf([own(commands(rule('a'))), team('commands: {rules: []}')]).origins['rule:a']).toBeDefined();
  });
});

describe('the profile', () => {
  test.each([
    ['nobody names', [], {}, 'edit', 'built in'],
    ['a file extends', [team('extends: triage')], {}, 'triage', `${TEAM}:2`],
    ['two files extend: the stronger', [own('extends: edit'), team('extends: review')], {}, 'review', `${TEAM}:2`],
    [
      'the command line names, whatever files extend',
      [team('extends: triage')],
      { profile: 'review' },
      'review',
      'option --profile',
    ],
  ] as const)('%s', (_what, files, request, profile, origin) => {
    const policy = policyOf([...files], request);
    expect(policy).toMatchObject({ profile, origins: { '/profile': origin } });
    expect(policy.layers[1]).toEqual({ origin: `profile ${profile}` });
    expect(policy.tools.names.includes('edit')).toBe(profile === 'edit');
  });
});

describe('tools are chosen upon what weaker layers chose (M3)', () => {
  test('each layer selects and then excludes, options last', () => {
    const files = [own('tools: {select: "-bash"}'), team('tools: {exclude: "w*,edit"}')];
    const policy = policyOf(files, { tools: '+bash,-grep' });
    expect(policy.tools.names).toEqual(['read', 'bash', 'find', 'ls']);
    expect(policy.origins).toMatchObject({
      'tool:read': 'profile edit',
      'tool:bash': 'option --tools',
      'tool:write': `${TEAM}:2`,
      'tool:grep': 'option --tools',
    });
  });

  test('a whole list starts anew', () => {
    expect(policyOf([team('tools: {select: "read"}')], { tools: 'grep' }).tools.names).toEqual(['grep']);
  });
});

describe('off', () => {
  test('takes away a rule of a weaker layer, and nothing else does', () => {
    const policy = policyOf([own(commands(rule('a'), rule('b'))), team(`off: [a]\n${commands(rule('c', 'allow'))}`)]);
    expect(policy.commands.rules.map(({ id }) => id).slice(-2)).toEqual(['b', 'c']);
    expect(policy.origins).toMatchObject({ 'off:a': `${TEAM}:2` });
    expect(policy.origins).not.toHaveProperty('rule:a');
  });

  test('reaches rules for tools and paths, and patterns', () => {
    const files = [
      own(
        'tools: {rules: [{id: t, verdict: ask, reason: R., nested: true}]}\npaths: {rules: [{id: p, verdict: ask, reason: R., names: [x]}]}\nredaction: {patterns: [{id: r, pattern: x}]}',
      ),
      team('off: [t, p, r]'),
    ];
    const { tools, paths, redaction } = policyOf(files);
    expect(tools.rules).toEqual([]);
    expect(paths.rules.map(({ id }) => id)).not.toContain('p');
    expect(redaction.patterns).toEqual([]);
  });

  test('of an unknown rule is refused with the nearest one', () => {
    const error = refusal(() => policyOf([own(commands(rule('no-push'))), team('off: [no-psuh]')]));
    expect(error).toMatchObject({ code: 'policy', exitCode: 2, hint: 'Did you mean "no-push"?' });
    expect(error.message).toBe('team.yaml:2:7: off[0]: no weaker layer has a rule "no-psuh".');
  });

  test('of a rule in the same file, or in a stronger one, is refused', () => {
    expect(said(team(`off: [a]\n${commands(rule('a'))}`))).toEqual([
      'team.yaml:2:7: off[0]: the rule "a" stands in the same file.',
    ]);
    expect(said(own('off: [a]'), team(commands(rule('a'))))).toEqual([
      'policy.yaml:2:7: off[0]: no weaker layer has a rule "a".',
    ]);
  });
});

describe('an id', () => {
  test.each([
    [
      'in one list',
      [team(commands(rule('a'), rule('a')))],
      'team.yaml:2:72: commands.rules[1]: there is a rule "a" already, in /etc/team.yaml:2.',
    ],
    [
      'in two files',
      [own(commands(rule('a'))), team(commands(rule('a')))],
      `team.yaml:2:20: commands.rules[0]: there is a rule "a" already, in ${OWN}:2.`,
    ],
    [
      'after it was switched off',
      [own(commands(rule('a'))), team(`off: [a]\n${commands(rule('a'))}`)],
      /^team\.yaml:3:20: commands\.rules\[0\]: there is a rule "a" already/,
    ],
  ])('cannot be used twice: %s', (_what, files, expected) => {
    expect(said(...files)[0]).toEqual(expected instanceof RegExp ? expect.stringMatching(expected) : expected);
  });

  test('is unique over commands, paths, tools and patterns', () => {
    const file = team(`${commands(rule('a'))}redaction: {patterns: [{id: a, pattern: x}]}`);
    expect(said(file)).toEqual([expect.stringContaining('redaction.patterns[0]: there is a rule "a" already')]);
  });
});

test('several problems between layers are one error that tells them, as no check of one file would', () => {
  const error = refusal(() => effectivePolicy({}, [team('off: [aaaaaaaa, bbbbbbbb]')]));
  expect(error.message).toContain('"aaaaaaaa"');
  expect(error.hint).toMatch(/Also: team\.yaml:\d+:\d+: off\[1\]: no weaker layer has a rule "bbbbbbbb"\.$/);
  const many = refusal(() =>
    effectivePolicy({}, [team(`off: [${[...'abcdefgh'].map((letter) => letter.repeat(8))}]`)]),
  );
  expect(many.hint).toMatch(/"eeeeeeee"\. 3 more are not shown\.$/);
});

test('the digest follows the content, not the order of keys', () => {
  const policy = policyOf([]);
  const turned = Object.fromEntries(Object.entries(policy).reverse()) as Policy;
  expect(policyDigest(turned)).toBe(policyDigest(policy));
  expect(policyDigest(policyOf([], { pids: 99 }))).not.toBe(policyDigest(policy));
});
