import { describe, expect, test } from 'vitest';
import { effectivePolicy } from '../../src/policy/effective.ts';
import { KNOWN_TOOLS, REACHING_TOOLS } from '../../src/policy/tools.ts';
import type { ProfileName } from '../../src/protocol/plan.ts';
import { refusal } from '../plan/support.ts';

/** The tools that options make of a profile. */
function toolsOf(profile: ProfileName, tools?: string, excludeTools?: string): readonly string[] {
  const given = { ...(tools === undefined ? {} : { tools }), ...(excludeTools === undefined ? {} : { excludeTools }) };
  return effectivePolicy({ profile, ...given }, []).tools.names;
}

describe('the tools of a run follow the list rules of pi (M3)', () => {
  test.each([
    ['nothing', undefined, undefined, ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls']],
    ['a list', 'read,grep', undefined, ['read', 'grep']],
    ['a list with blanks', ' read , grep,', undefined, ['read', 'grep']],
    ['all', '*', undefined, [...KNOWN_TOOLS]],
    ['an empty list', '', undefined, []],
    ['a pattern', 'f*,*ad', undefined, ['read', 'find']],
    ['changes', '-write,-bash', undefined, ['read', 'edit', 'grep', 'find', 'ls']],
    ['an exclusion', undefined, 'bash', ['read', 'edit', 'write', 'grep', 'find', 'ls']],
    ['an excluded pattern', undefined, 'b*,write', ['read', 'edit', 'grep', 'find', 'ls']],
    ['an exclusion after a list', 'read,bash', 'bash', ['read']],
  ])('%s', (_what, tools, exclude, expected) => {
    expect(toolsOf('edit', tools, exclude)).toEqual(expected);
  });

  test('+name adds to what the profile has', () => {
    expect(toolsOf('triage', '+bash')).toEqual(['read', 'bash', 'grep', 'find', 'ls']);
  });

  test('the profile that reads untrusted repositories has nothing that writes or runs (M4)', () => {
    expect(toolsOf('triage')).toEqual(['read', 'grep', 'find', 'ls']);
  });
});

describe('tools of extensions', () => {
  const trusted = (tools: string, excludeTools = '') =>
    effectivePolicy({ tools, excludeTools, trustProject: true }, []).tools.names;

  test('can be named where the project is trusted (M14)', () => {
    expect(trusted('read,lint_it')).toEqual(['read', 'lint_it']);
    expect(trusted('+lint_it,-bash').at(-1)).toBe('lint_it');
    expect(trusted('read,lint_it,deploy', 'deploy')).toEqual(['read', 'lint_it']);
    expect(effectivePolicy({ tools: '+lint_it', trustProject: true }, []).origins['tool:lint_it']).toBe(
      'option --tools',
    );
  });

  test('cannot be named elsewhere, and it is said how', () => {
    expect(refusal(() => toolsOf('edit', '+telepathy')).hint).toContain('--trust-project');
  });

  test.each([
    ['-wrte', ''],
    ['', 'bahs'],
    ['lint*', ''],
    ['read;x', ''],
  ])('a name that would take nothing away, or is none, stays an error: %j %j', (tools, excludeTools) => {
    expect(() => trusted(tools, excludeTools)).toThrow(/pi has no tool/);
  });
});

describe('tools that reach other tools (M13)', () => {
  test.each(['edit', 'review', 'triage'] as const)('are in no profile: %s', (profile) => {
    for (const name of REACHING_TOOLS) expect(toolsOf(profile)).not.toContain(name);
  });

  test('are chosen by their whole names, and by no pattern', () => {
    expect(toolsOf('triage', '+codemode,+tool_search')).toEqual([
      ...['read', 'grep', 'find', 'ls', 'codemode', 'tool_search'],
    ]);
    expect(toolsOf('edit', 'read,codemode')).toEqual(['read', 'codemode']);
    expect(toolsOf('edit', '*')).toEqual([...KNOWN_TOOLS]);
    expect(refusal(() => toolsOf('edit', 'code*')).message).toBe('--tools: pi has no tool "code*".');
  });

  test('are excluded by patterns as well', () => {
    expect(toolsOf('edit', 'read,codemode,tool_search', '*o*')).toEqual(['read']);
  });

  test('are guessed like others', () => {
    expect(refusal(() => toolsOf('edit', '+codmode')).hint).toBe('Did you mean "codemode"?');
  });
});

describe('what pi would ignore without a word is refused', () => {
  test.each([
    ['--tools', 'raed,grep', undefined, 'raed', 'read'],
    ['--tools', '-wrte', undefined, 'wrte', 'write'],
    ['--exclude-tools', undefined, 'bahs', 'bahs', 'bash'],
  ])('a typo in %s, with the tool that was meant', (option, tools, exclude, typo, meant) => {
    const error = refusal(() => toolsOf('edit', tools, exclude));
    expect(error).toMatchObject({ code: 'usage', exitCode: 2, hint: `Did you mean "${meant}"?` });
    expect(error.message).toContain(option);
    expect(error.message).toContain(typo);
  });

  test('a name like no other, with all the tools', () => {
    expect(refusal(() => toolsOf('edit', 'telepathy')).hint).toContain('read, bash, edit, write, grep, find, ls');
  });

  test('names mixed with changes, in the words of pi', () => {
    expect(refusal(() => toolsOf('edit', 'read,+grep')).message).toBe(
      '--tools: tool names cannot be mixed with +name or -name entries.',
    );
  });

  test('patterns in changes', () => {
    expect(refusal(() => toolsOf('edit', '+re*')).message).toContain('exact tool names, not patterns');
  });

  test('a pattern that fits no tool, and the tool that the image cannot run', () => {
    refusal(() => toolsOf('edit', 'x*'));
    expect(refusal(() => toolsOf('edit', 'powershell')).message).toContain('PowerShell');
  });

  test('a name is a name and no regular expression', () => {
    refusal(() => toolsOf('edit', 're.d'));
    refusal(() => toolsOf('edit', '(read|bash)'));
  });
});
