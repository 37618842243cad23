import { expect, test } from 'vitest';
import { askMode } from '../../../src/cli/gate/ask-mode.ts';
import { understand } from '../../../src/cli/run-arguments.ts';

const tty = { stdin: { isTTY: true }, stderr: { isTTY: true } };
const pipe = { stdin: {}, stderr: { isTTY: true } };

test('a person is asked where there is one, else nobody', () => {
  expect(askMode({}, tty)).toBe('terminal');
  expect(askMode({}, pipe)).toBe('never');
  expect(askMode({ json: true }, tty)).toBe('never');
  expect(askMode({ ask: 'never' }, tty)).toBe('never');
  expect(askMode({ ask: 'stdin', json: true }, pipe)).toBe('stdin');
});

test.each([
  [{ ask: 'terminal' }, pipe, 'there is no terminal'],
  [{ ask: 'stdin' }, pipe, 'without --json they are not seen'],
  [{ ask: 'me' }, tty, 'not one of terminal, stdin, never'],
])('%j is refused where it cannot work', (options, streams, message) => {
  expect(() => askMode(options, streams)).toThrow(message);
});

test.each([{}, { promptFile: '-' }])('answers and a prompt cannot both come from standard input: %j', async (more) => {
  const options = { repo: '.', model: 'scripted:s.yaml', json: true, ask: 'stdin', ...more };
  await expect(understand([], options)).rejects.toMatchObject({
    code: 'usage',
    message: expect.stringContaining('--ask stdin reads answers there'),
  });
});
