import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { done, pi, refused, render, says, toolEnd, toolStart, toolUpdate, usage } from './render-support.ts';

describe('damaged and forged records', () => {
  it('shows a flood of damage as three lines and a number', () => {
    const { out, renderer, record } = render();
    for (let at = 0; at < 1_000; at++)
      record({ source: 'claimed', type: 'pi_damaged', reason: 'json', bytes: 2, preview: 'y' });
    renderer.end(done);
    expect(out.text.match(/no event \(json\)/g)).toHaveLength(3);
    expect(out.text).toContain('! 997 more records of the kind pi_damaged');
  });

  it('passes over records that are not shaped like anything it knows', () => {
    const { out, record } = render();
    record({ source: 'claimed', type: 'pi', event: null });
    record({ source: 'claimed', type: 'pi', event: { type: 'tool_execution_end', toolCallId: 7 } });
    record({ source: 'observed', type: 'outcome', outcome: 'won', exitCode: 0, reason: 'x' });
    record({ source: 'observed', type: 'posture', fields: [] });
    expect(out.text).toBe('');
  });

  it('takes any record that a damaged or forged transcript may hold', () => {
    const kinds = [
      'pi',
      'pi_damaged',
      'stderr',
      'outcome',
      'notice',
      'gateway.response',
      'run_started',
      'imported',
      'x',
    ];
    const event = fc.record({
      type: fc.constantFrom('tool_execution_end', 'message_end', 'auto_retry_start'),
      result: fc.anything(),
    });
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom(...kinds),
            fc.dictionary(fc.string(), fc.anything()),
            fc.oneof(event, fc.anything()),
          ),
        ),
        (list) => {
          const { record } = render({ isTTY: true });
          for (const [type, fields, value] of list) record({ ...fields, source: 'claimed', type, event: value });
        },
      ),
    );
  });
});

const HOSTILE = [
  '\u001b]52;c;aGFja2Vk\u0007',
  '\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\',
  '\u001b]0;title\u0007\u001b[2J\u001bc',
  '\u009b2J\u0090dcs',
  'password: secret\rall is well',
  'a\u202Eb\u2066c\u200Bd',
  '\n::set-output name=x::y\n##[error]z\n##vso[task.complete]',
].join(' ');

function hostileRun(target: ReturnType<typeof render>): void {
  const { record, renderer, tick } = target;
  renderer.delta({ call: 1, kind: 'thinking', text: HOSTILE });
  for (const char of HOSTILE) renderer.delta({ call: 1, kind: 'text', text: char });
  record(toolStart(HOSTILE, HOSTILE, { [HOSTILE]: HOSTILE }));
  record(toolStart('x', 'bash', { command: HOSTILE }));
  tick(500);
  record(toolUpdate('x', HOSTILE));
  record(toolEnd('x', 'bash', HOSTILE, { details: { fullOutputPath: HOSTILE } }));
  record(refused('y', HOSTILE, HOSTILE));
  record(toolEnd('z', HOSTILE, HOSTILE.repeat(20), { isError: true }));
  record(says(HOSTILE, { stopReason: 'error', errorMessage: HOSTILE }));
  record(pi({ type: 'message_end', message: { role: 'user', content: HOSTILE } }));
  record(pi({ type: 'extension_error', event: HOSTILE, error: HOSTILE }));
  record(pi({ type: 'compaction_start', reason: HOSTILE }));
  record({ source: 'claimed', type: 'pi_damaged', reason: HOSTILE, bytes: 1, preview: HOSTILE });
  record({ source: 'claimed', type: HOSTILE, message: HOSTILE, hint: HOSTILE });
  record({
    source: 'observed',
    type: 'gateway.response',
    call: 9,
    stopReason: 'error',
    text: HOSTILE,
    error: HOSTILE,
    usage,
  });
  record({ source: 'observed', type: 'gateway.refused', message: HOSTILE });
  record({ source: 'observed', type: 'wire_refused', authority: HOSTILE });
  record({ source: 'claimed', type: 'stderr', who: HOSTILE, text: HOSTILE });
  const workspace = { mode: HOSTILE, root: HOSTILE };
  record({ source: 'observed', type: 'run_started', profile: HOSTILE, model: HOSTILE, tools: [HOSTILE], workspace });
  record({
    source: 'observed',
    type: 'outcome',
    outcome: 'agent_failed',
    exitCode: 1,
    reason: HOSTILE,
    limit: HOSTILE,
  });
}

describe('hostile text', () => {
  it('reaches a pipe without a control byte, an annotation, or a colour (D83, EV9, EV10)', () => {
    const target = render({ color: true });
    hostileRun(target);
    expect(target.out.text).not.toMatch(/[^\P{Cc}\n\t]/u);
    expect(target.out.text).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B]/);
    expect(target.out.text).not.toMatch(/^\s*::|##\[|##vso\[/m);
    expect(target.out.text).toContain('␛]52;c;');
  });

  it('reaches a terminal with no sequence but our own colours and redraws (D83)', () => {
    const target = render({ isTTY: true, color: true });
    hostileRun(target);
    const rest = target.out.text.replaceAll(/\u001b\[(0|1|2|31|32|33|36)m|\u001b\[\d+F\u001b\[J/g, '');
    expect(rest).not.toBe(target.out.text);
    expect(rest).not.toMatch(/[^\P{Cc}\n\t]/u);
  });

  it('brings no colour to a terminal that wants none', () => {
    const target = render({ isTTY: true, color: false });
    hostileRun(target);
    expect(target.out.text).not.toMatch(/\u001b\[\d*m/);
  });
});
