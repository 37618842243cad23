import { expect, test } from 'vitest';
import { freezeDeep } from '../../images/guest/freeze.ts';

test('nothing in frozen arguments can be changed, however deep (M10)', () => {
  const input = { command: 'ls', edits: [{ oldText: 'a', newText: 'b' }] };
  freezeDeep(input);
  expect(() => Object.assign(input, { command: 'rm' })).toThrow(TypeError);
  expect(() => Object.assign(input.edits[0]!, { newText: 'c' })).toThrow(TypeError);
  expect(() => input.edits.push({ oldText: '', newText: '' })).toThrow(TypeError);
  expect(() => Object.assign(input, { timeout: 5 })).toThrow(TypeError);
  expect(input).toEqual({ command: 'ls', edits: [{ oldText: 'a', newText: 'b' }] });
});

test.each([[undefined], [null], ['text'], [5]])('%j needs no freezing', (value) => {
  expect(() => freezeDeep(value)).not.toThrow();
});
