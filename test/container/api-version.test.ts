import { describe, expect, test } from 'vitest';
import { negotiateApi } from '../../src/container/api-version.ts';
import { refusal } from '../plan/support.ts';

const engine = (ApiVersion: string, MinAPIVersion?: string) => ({
  Version: 'v',
  ApiVersion,
  ...(MinAPIVersion === undefined ? {} : { MinAPIVersion }),
});

describe('the API version is the newest that both sides know (D70)', () => {
  test.each([
    ['1.41', '1.12', '1.41'],
    ['1.44', '1.24', '1.44'],
    ['1.51', '1.44', '1.51'],
    ['1.99', '1.44', '1.51'],
    ['1.41', undefined, '1.41'],
  ])('an engine of %s that takes %s and newer', (newest, oldest, chosen) => {
    expect(negotiateApi(engine(newest, oldest), 'here')).toBe(chosen);
  });

  test.each(['1.40', '1.9', '0.99'])('an engine of %s lacks settings that we need', (version) => {
    const error = refusal(() => negotiateApi(engine(version, '1.0'), 'here'));
    expect(error).toMatchObject({ code: 'engine', exitCode: 5 });
    expect(error.message).toContain(version);
    expect(error.hint).toContain('20.10');
  });

  test('an engine that wants more than we know asks for an update of us', () => {
    expect(refusal(() => negotiateApi(engine('1.99', '1.60'), 'here')).hint).toContain('Update pi-sandbox');
  });
});
