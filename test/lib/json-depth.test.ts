import { expect, it } from 'vitest';
import { exceedsDepth } from '../../src/lib/json-depth.ts';

const at = (depth: number) => Buffer.from('['.repeat(depth) + ']'.repeat(depth));

it('allows exactly the limit (EV4)', () => {
  expect(exceedsDepth(at(64), 64)).toBe(false);
  expect(exceedsDepth(at(65), 64)).toBe(true);
});

it('answers for two million brackets without a stack', () => {
  expect(exceedsDepth(Buffer.alloc(2_000_000, '['), 64)).toBe(true);
});

it('does not count brackets in strings, or after escaped quotes', () => {
  expect(exceedsDepth(Buffer.from('{"a":"[[[[\\"[[[[","b":[{}]}'), 3)).toBe(false);
  expect(exceedsDepth(Buffer.from('{"a":"\\\\","b":[[[1]]]}'), 3)).toBe(true);
});

it('counts depth and not the number of brackets', () => {
  expect(exceedsDepth(Buffer.from(`[${'{},'.repeat(10_000)}{}]`), 2)).toBe(false);
});
