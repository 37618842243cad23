import { expect, it } from 'vitest';
import { refusalOf, refusalText } from '../../src/events/refusal.ts';
import type { GateRecord } from '../../src/protocol/gate-record.ts';

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
  ['guard', end('pi-sandbox: read works on regular files only, and f is a named pipe')],
  ['guard', end('Tool execution was blocked')],
  ['aborted', end('Operation aborted')],
  ['aborted', end('before\n\n\nCommand aborted', ran)],
  ['tool error', end('no\n\nCommand exited with code 3', ran)],
  ['tool error', end('Command timed out after 1 seconds', ran)],
  ['rewritten result', end('[redacted]', { ...ran, isError: false })],
  [undefined, end('ok', { ...ran, isError: false, result: withOutput('ok') })],
  [undefined, end('file', { ...ran, isError: false, toolName: 'read' })],
])('names the stage: %s (M1)', (stage, event) => {
  expect(refusalOf(event, undefined)?.stage).toBe(stage);
});

it('does not take the word of a command that prints like the guard or like pi (M1)', () => {
  expect(refusalOf(end('pi-sandbox: blocked\n\nCommand exited with code 1', ran), undefined)?.stage).toBe('tool error');
  const forged = end('Tool bash not found', { ...ran, isError: false, result: withOutput('x') });
  expect(refusalOf(forged, undefined)).toBeUndefined();
});

const decided = (more: Partial<GateRecord>): GateRecord => ({
  source: 'observed',
  type: 'gate',
  call: 'c',
  tool: 'bash',
  verdict: 'deny',
  rule: 'git-push',
  reason: 'Pushing changes what others have.',
  by: 'policy',
  seen: 'observed',
  durationMs: 1,
  ...more,
});

it.each([
  ['policy rule git-push', { by: 'policy' }],
  ['denied by you, rule git-push', { by: 'answer' }],
  ['no answer, rule git-push', { by: 'no answer' }],
  ['guard', { by: 'guard', rule: 'guard' }],
  ['gate, rule gate.other-call', { by: 'gateway', rule: 'gate.other-call' }],
  ['limit, rule gate.limit', { by: 'gateway', rule: 'gate.limit' }],
] as const)('names what the gate refused by its own record, whatever pi says: %s (M1)', (text, record) => {
  for (const event of [end('Tool bash not found'), end('Validation failed for tool "bash"'), end('x', ran)]) {
    const refusal = refusalOf(event, decided(record));
    expect(refusal).toMatchObject({ source: 'observed', reason: 'Pushing changes what others have.' });
    expect(refusalText(refusal!)).toBe(text);
    expect(refusal?.ignored).toBeUndefined();
  }
});

it('says so when pi claims that a refused call was carried out', () => {
  expect(refusalOf(end('ok', { ...ran, isError: false }), decided({}))).toMatchObject({
    stage: 'policy rule',
    ignored: true,
  });
});

it('marks what only pi says, and takes it for what comes before the gate and after it alone (M1)', () => {
  expect(refusalText(refusalOf(end('Tool bash not found'), undefined)!)).toBe('unknown tool, as pi says');
  expect(refusalOf(end('no', ran), decided({ verdict: 'allow' }))).toEqual({ stage: 'tool error', source: 'claimed' });
  expect(
    refusalOf(end('ok', { ...ran, isError: false, result: withOutput('ok') }), decided({ verdict: 'allow' })),
  ).toBeUndefined();
});
