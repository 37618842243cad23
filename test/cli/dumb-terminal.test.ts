import { expect, test, vi } from 'vitest';
import { environment } from '../../src/cli/environment.ts';
import { Progress } from '../../src/cli/progress.ts';
import { Screen } from '../../src/cli/render-screen.ts';
import { FakeOutput } from './render-support.ts';

/** All that is sent to a terminal by a line of state and by live lines. */
function sent(): string {
  const out = new FakeOutput(true);
  const screen = new Screen(out, environment.display(out));
  const progress = new Progress(screen);
  progress.update('looking');
  progress.step('looked');
  screen.live(['one', 'two']);
  screen.line({ text: 'three', style: 'red' });
  return out.text;
}

test('a dumb terminal is sent lines and no escape codes', () => {
  vi.stubEnv('NO_COLOR', '');
  vi.stubEnv('TERM', 'dumb');
  expect(sent()).toBe('looked\nthree\n');
});

test('any other terminal is redrawn in place', () => {
  vi.stubEnv('NO_COLOR', '');
  vi.stubEnv('TERM', 'xterm');
  const back = (rows: number): string => `\u001b[${rows}F`;
  expect(sent().split('\n')).toEqual([
    expect.stringContaining('looking'),
    expect.stringContaining(`${back(1)}`),
    expect.stringContaining('one'),
    expect.stringContaining('two'),
    expect.stringContaining(`${back(2)}`),
    '',
  ]);
});
