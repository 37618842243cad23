import { describe, expect, test } from 'vitest';
import { MAX_PROMPT_BYTES, parseRunRequest } from '../../src/request/run-request.ts';
import { refusal } from '../plan/support.ts';

const REQUEST = { repo: '/r', prompt: 'p', model: 'm/x' };

describe('a run request', () => {
  test('needs a repository, a prompt and a model, and nothing else', () => {
    expect(parseRunRequest(REQUEST)).toEqual(REQUEST);
  });

  test.each(Object.keys(REQUEST))('without %s is refused by name', (key) => {
    const rest = Object.fromEntries(Object.entries(REQUEST).filter(([name]) => name !== key));
    const error = refusal(() => parseRunRequest(rest));
    expect(error).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(error.message).toContain(`"${key}" is missing`);
    expect(refusal(() => parseRunRequest({ ...REQUEST, [key]: '' })).message).toContain(`/${key}`);
  });

  test.each([
    ['timeoutMS', 'timeoutMs'],
    ['exclud', 'exclude'],
    ['profil', 'profile'],
  ])('with the unknown key %s is refused with its path and the nearest known key', (key, known) => {
    const { message } = refusal(() => parseRunRequest({ ...REQUEST, [key]: 1 }));
    expect(message).toContain(`at /${key}: unknown key "${key}", did you mean "${known}"?`);
  });

  test('with an unknown key like no other is refused with the known ones', () => {
    expect(refusal(() => parseRunRequest({ ...REQUEST, xyzzy: 1 })).message).toContain('known: repo, prompt, model');
  });

  test.each([
    ['profile', 'admin'],
    ['workspace', 'write'],
    ['timeoutMs', 0],
    ['timeoutMs', 1.5],
    ['timeoutMs', 25 * 86_400_000],
    ['idleTimeoutMs', 25 * 86_400_000],
    ['bashTimeoutMs', 25 * 86_400_000],
    ['cpus', 0],
    ['pids', '512'],
    ['include', 'node_modules'],
    ['include', ['']],
    ['keepOutputs', 'yes'],
  ])('with %s %j is refused by its path', (key, value) => {
    expect(refusal(() => parseRunRequest({ ...REQUEST, [key]: value })).message).toContain(`/${key}`);
  });

  test.each([
    ['nothing', undefined],
    ['text', 'run'],
    ['a list', [REQUEST]],
    ['null', null],
  ])('is no %s', (_what, value) => {
    refusal(() => parseRunRequest(value));
  });

  test('takes a prompt of the size limit in bytes, and says what to do with a larger one', () => {
    const limit = 'é'.repeat(MAX_PROMPT_BYTES / 2);
    expect(parseRunRequest({ ...REQUEST, prompt: limit }).prompt).toBe(limit);
    const error = refusal(() => parseRunRequest({ ...REQUEST, prompt: `${limit}x` }));
    expect(error.message).toContain('at most 4 MiB');
    expect(error.hint).toContain('file');
  });
});
