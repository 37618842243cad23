import { expect, it } from 'vitest';
import { refusalStage } from '../../src/events/refusal.ts';

const end = (text: string, more = {}) => ({
  type: 'tool_execution_end' as const,
  toolCallId: 'c',
  toolName: 'bash',
  result: { content: [{ type: 'text', text }] },
  isError: true,
  ...more,
});
const ran = { durationMs: 5 };
const withOutput = (text: string) => ({ content: [{ type: 'text', text }], structuredContent: { output: text } });

it.each([
  ['unknown tool', end('Tool bash not found')],
  ['invalid arguments', end('Validation failed for tool "bash":\n  - command: required')],
  ['invalid arguments', end('Invalid arguments for tool "bash": Unexpected end of JSON input')],
  ['veto by the guard', end('pi-sandbox: read works on regular files only, and f is a named pipe')],
  ['veto by the guard', end('Tool execution was blocked')],
  ['aborted', end('Operation aborted')],
  ['aborted', end('before\n\n\nCommand aborted', ran)],
  ['tool error', end('no\n\nCommand exited with code 3', ran)],
  ['tool error', end('Command timed out after 1 seconds', ran)],
  ['rewritten result', end('[redacted]', { ...ran, isError: false })],
  [undefined, end('ok', { ...ran, isError: false, result: withOutput('ok') })],
  [undefined, end('file', { ...ran, isError: false, toolName: 'read' })],
])('names the stage: %s (M1)', (stage, event) => {
  expect(refusalStage(event)).toBe(stage);
});

it('does not take the word of a command that prints like the guard or like pi (M1)', () => {
  expect(refusalStage(end('pi-sandbox: blocked\n\nCommand exited with code 1', ran))).toBe('tool error');
  expect(refusalStage(end('Tool bash not found', { ...ran, isError: false, result: withOutput('x') }))).toBeUndefined();
});
