import { spawnSync } from 'node:child_process';
import path from 'node:path';
import { pathToFileURL } from 'node:url';
import { expect, test } from 'vitest';
import { offline } from '../support/offline.ts';

const file = pathToFileURL(path.join(import.meta.dirname, '../../src/cli/node-warnings.ts')).href;

/** What a process prints that emits these warnings, with or without ours in force. */
function printed(warnings: string, silence: boolean): string {
  const script = `import { silenceKnownWarnings } from ${JSON.stringify(file)};
    if (${silence}) silenceKnownWarnings();
    ${warnings}`;
  return spawnSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' }).stderr;
}

test.each([
  "process.emitWarning('old', 'DeprecationWarning', 'DEP0169')",
  "process.emitWarning('old', { type: 'DeprecationWarning', code: 'DEP0169' })",
  "process.emitWarning(Object.assign(new Error('old'), { code: 'DEP0169' }))",
  "(await import('node:url')).parse('tcp://127.0.0.1:9')",
])('%s is not shown to the user', (warning) => {
  expect(printed(warning, false)).toContain('DEP0169');
  expect(printed(warning, true)).toBe('');
});

test.each([
  "process.emitWarning('look here')",
  "process.emitWarning('look here', 'DeprecationWarning', 'DEP0001')",
  "process.emitWarning('look here', { code: 'ours', detail: 'DEP0169' })",
  "process.emitWarning(new Error('look here'))",
])('%s is shown as ever', (warning) => {
  expect(printed(warning, true)).toContain('look here');
});

test('an engine behind tcp:// brings no warning of Node along', async () => {
  const ended = await offline('tcp://127.0.0.1:9').run(['ls']);
  expect(ended).toMatchObject({ code: 0, stderr: 'There are no runs yet.\n' });
});
