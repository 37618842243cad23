import { expect, it } from 'vitest';
import type { NewRecord } from '../../src/protocol/record.ts';
import { done, refused, render, toolEnd, toolStart } from './render-support.ts';

const COMMAND = { command: 'git push' };
const RULE = { rule: 'git-push', reason: 'Pushing changes what others have.' };

const gate = (more: Readonly<Record<string, unknown>> = {}): NewRecord => ({
  source: 'observed',
  type: 'gate',
  ...{ call: 'a', tool: 'bash', verdict: 'deny', ...RULE, by: 'policy', seen: 'observed', durationMs: 1 },
  ...more,
});
const STRAY = gate({ by: 'gateway', rule: 'gate.other-call', reason: 'Other arguments.', stray: true });
const ask: NewRecord = {
  source: 'observed',
  type: 'gate.ask',
  ...{ ask: 1, call: 'a', tool: 'bash', arguments: COMMAND, ...RULE, subject: 'git push' },
  ...{ claimed: false, timeoutMs: 1_000 },
};

it('names the rule that refused a call, in the words of the host and not in those of pi (M1)', () => {
  const { out, record } = render();
  for (const entry of [toolStart('a', 'bash', COMMAND), gate(), refused('a', 'bash', 'what pi says')]) record(entry);
  expect(out.text).toBe(
    '> [1] bash: git push\n  = [1] refused (policy rule git-push): Pushing changes what others have.\n',
  );
});

it('names the stage of a call that was refused before the gate, marked as the word of pi (M1)', () => {
  const { out, record } = render();
  record(toolStart('a', 'nosuch', {}));
  record(refused('a', 'nosuch', 'Tool nosuch not found'));
  expect(out.text).toContain('= [1] refused (unknown tool, as pi says): Tool nosuch not found');
});

it.each([
  [{ verdict: 'allow', by: 'answer', reason: 'Allowed once.' }, 'allowed (your answer): Allowed once.'],
  [{ by: 'answer', reason: 'Denied by the user: no' }, 'denied (your answer): Denied by the user: no'],
  [{ by: 'no answer', reason: 'Nobody answered.' }, 'denied (no answer): Nobody answered.'],
])('shows a question and what came of it: %j', (more, text) => {
  const { out, record } = render();
  record(ask);
  record(gate(more));
  expect(out.text).toBe(`? the policy asks (rule git-push): bash: git push\n  = ${text}\n`);
});

it('shows what was changed', () => {
  const { out, record } = render();
  record(gate({ verdict: 'change', rule: 'limits.maxBashTimeout', reason: 'It may run for 60 s.' }));
  expect(out.text).toBe('- bash was changed (rule limits.maxBashTimeout): It may run for 60 s.\n');
});

it('shows refused calls of other tools, which pi shows nothing of, and bounds them', () => {
  const { out, record } = render();
  for (let at = 0; at < 50; at++) record(gate({ call: `a/${at}`, seen: 'claimed', parent: 'a' }));
  record({ source: 'observed', type: 'outcome', ...done });
  expect(out.text.split('was refused (policy rule git-push)')).toHaveLength(21);
  expect(out.text).toContain('! 30 more words of the gate\n');
});

it('shows that the guard was passed over, also where little is shown', () => {
  const { out, record } = render({ quiet: true });
  record({ source: 'observed', type: 'gate.bypass', call: 'a', tool: 'bash', kind: 'unasked' });
  expect(out.text).toBe('! the guard was passed over: bash call a was carried out without asking the gate\n');
});

it('shows a refused call that pi says was carried out', () => {
  const { out, record } = render();
  for (const entry of [toolStart('a', 'bash', COMMAND), gate(), toolEnd('a', 'bash', 'pushed')]) record(entry);
  expect(out.text).toContain('= [1] done after 12 ms ALTHOUGH refused (policy rule git-push)');
});

it('does not take records that pi makes for records of the gate', () => {
  const { out, record } = render();
  record({ ...gate({ call: 'a', verdict: 'allow', by: 'answer' }), source: 'claimed' });
  expect(out.text).toBe('');
});

it('says of calls that go on at the end what ended them (M1)', () => {
  const { out, record } = render();
  record(toolStart('a', 'bash', { command: 'sleep 99' }));
  record({
    source: 'observed',
    type: 'outcome',
    outcome: 'policy_stopped',
    exitCode: 4,
    reason: 'Too long.',
    limit: 'wallMs',
  });
  expect(out.text).toContain('  = [1] ended with the run (limit: wallMs)\n');
});

it.each([
  ['after the decision', [gate({ verdict: 'allow', by: 'answer', reason: 'Allowed once.' }), STRAY]],
  ['while somebody is asked', [STRAY, gate({ verdict: 'allow', by: 'answer', reason: 'Allowed once.' })]],
])('does not take a stray question about a call for what became of it: %s', (_when, decisions) => {
  const { out, record } = render();
  for (const entry of [toolStart('a', 'bash', COMMAND), ask, ...decisions, toolEnd('a', 'bash', 'pushed')])
    record(entry);
  expect(out.text).toContain('  = allowed (your answer): Allowed once.\n');
  expect(out.text).toContain('! a question that is not about the bash call a was refused: Other arguments.\n');
  expect(out.text).toContain('= [1] done after 12 ms\n');
});
