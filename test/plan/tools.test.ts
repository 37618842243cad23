import { describe, expect, test } from 'vitest';
import { PROFILES } from '../../src/plan/profiles.ts';
import { KNOWN_TOOLS, selectTools } from '../../src/plan/tools.ts';
import { refusal } from './support.ts';

const edit = PROFILES.edit.tools;

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
    expect(selectTools(edit, tools, exclude)).toEqual(expected);
  });

  test('+name adds to what the profile has', () => {
    expect(selectTools(PROFILES.triage.tools, '+bash')).toEqual(['read', 'bash', 'grep', 'find', 'ls']);
  });

  test('the profile that reads untrusted repositories has nothing that writes or runs (M4)', () => {
    expect(PROFILES.triage.tools).toEqual(['read', 'grep', 'find', 'ls']);
  });
});

describe('what pi would ignore without a word is refused', () => {
  test.each([
    ['--tools', 'raed,grep', undefined, 'raed', 'read'],
    ['--tools', '-wrte', undefined, 'wrte', 'write'],
    ['--exclude-tools', undefined, 'bahs', 'bahs', 'bash'],
  ])('a typo in %s, with the tool that was meant', (option, tools, exclude, typo, meant) => {
    const error = refusal(() => selectTools(edit, tools, exclude));
    expect(error).toMatchObject({ code: 'usage', exitCode: 2, hint: `Did you mean "${meant}"?` });
    expect(error.message).toContain(option);
    expect(error.message).toContain(typo);
  });

  test('a name like no other, with all the tools', () => {
    expect(refusal(() => selectTools(edit, 'telepathy')).hint).toContain('read, bash, edit, write, grep, find, ls');
  });

  test('names mixed with changes, in the words of pi', () => {
    expect(refusal(() => selectTools(edit, 'read,+grep')).message).toBe(
      '--tools: tool names cannot be mixed with +name or -name entries.',
    );
  });

  test('patterns in changes', () => {
    expect(refusal(() => selectTools(edit, '+re*')).message).toContain('exact tool names, not patterns');
  });

  test('a pattern that fits no tool, and the tool that the image cannot run', () => {
    refusal(() => selectTools(edit, 'x*'));
    expect(refusal(() => selectTools(edit, 'powershell')).message).toContain('PowerShell');
  });

  test('a name is a name and no regular expression', () => {
    refusal(() => selectTools(edit, 're.d'));
    refusal(() => selectTools(edit, '(read|bash)'));
  });
});
