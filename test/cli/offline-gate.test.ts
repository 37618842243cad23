import { Value } from '@sinclair/typebox/value';
import { beforeAll, expect, test } from 'vitest';
import { mergePolicy } from '../../src/policy/effective.ts';
import { RunDetails } from '../../src/protocol/run-details.ts';
import { hostFacts, makePlan, REQUEST } from '../plan/support.ts';
import { offline } from '../support/offline.ts';
import { COMPLETED, stamped, startedOn, toolCall, writeRun } from '../support/runs.ts';

const NEW = '20261130T021610-3f9a2c';
const { run, home } = offline();

const PUSH = { command: 'git push\u001b[2J origin main' };
const said = (id: string, args: unknown) => ({
  source: 'observed',
  type: 'gateway.response',
  toolCalls: [{ id, name: 'bash', arguments: args }],
});
const gate = (call: string, more: Readonly<Record<string, unknown>>) => ({
  source: 'observed',
  type: 'gate',
  ...{ call, tool: 'bash', verdict: 'deny', rule: 'team-push', reason: 'Pushing is for people.', by: 'policy' },
  ...{ seen: 'observed', durationMs: 1 },
  ...more,
});
const matched = [
  { rule: 'team-push', verdict: 'ask', detail: 'program git, subcommand push' },
  { rule: 'commands.default', verdict: 'allow', detail: 'no rule names it' },
];
const ask = {
  source: 'observed',
  type: 'gate.ask',
  ...{ ask: 1, call: 'call_2', tool: 'bash', arguments: PUSH, rule: 'team-push', reason: 'r', subject: 'git push' },
  ...{ claimed: false, timeoutMs: 1_000 },
};

beforeAll(() => {
  const plan = makePlan(REQUEST, hostFacts());
  const { policy } = mergePolicy(REQUEST, []);
  const origins = { ...policy!.origins, 'rule:team-push': '/home/u/team.yaml:4' };
  const records = [
    startedOn('unix:///e'),
    said('call_1', { command: 'ls' }),
    ...toolCall('call_1', 'out'),
    gate('call_1', { verdict: 'allow', rule: 'commands.default', matched: matched.slice(1) }),
    said('call_2', PUSH),
    ask,
    gate('call_2', { by: 'answer', reason: 'Denied by the user: no', matched }),
    ...toolCall('call_2', ''),
    gate('call_1/1', { by: 'gateway', rule: 'gate.tool', seen: 'claimed', parent: 'call_1' }),
    gate('call_3', { by: 'guard', rule: 'guard', reason: 'It is a named pipe.' }),
    ...toolCall('call_3', ''),
    ...toolCall('call_4', ''),
    { source: 'observed', type: 'gate.bypass', call: 'call_4', tool: 'bash', kind: 'unasked' },
    said('long', '{"content":"x'),
    gate('long', { tool: 'write' }),
    ...toolCall('long', ''),
    said('open', PUSH),
    { ...ask, ask: 2, call: 'open' },
  ];
  writeRun(home, NEW, {
    'plan.json': plan,
    'policy.json': { ...policy!, origins },
    'outcome.json': COMPLETED,
    'events.jsonl': stamped(NEW, records),
  });
});

test('show sums up what the gate did, what stopped calls, questions, bypasses and what the guard is worth', async () => {
  const details = JSON.parse((await run(['show', NEW, '--json'])).stdout) as RunDetails;
  expect([...Value.Errors(RunDetails, details)]).toEqual([]);
  expect(details.gate).toMatchObject({
    calls: { allowed: 1, changed: 0, denied: 4 },
    claimed: 1,
    questions: [{ ask: 1, rule: 'team-push', subject: 'git push', answer: 'denied' }, { ask: 2 }],
    asked: 2,
    bypasses: [{ call: 'call_4', kind: 'unasked' }],
    bypassed: 1,
  });
  const text = (await run(['show', NEW])).stdout;
  for (const part of [
    'Gate         5 calls: 1 allowed, 0 changed, 4 denied; 1 of them made by other tools, as pi says',
    'Failed calls [2] bash: denied by you, rule team-push\n',
    '             [3] bash: guard\n',
    '             [call_1/1] bash: gate, rule gate.tool\n',
    'denied 1: policy rule team-push, your answer',
    'denied 1: not a call that the gateway saw (gate.tool)',
    'denied 1: the guard itself',
    'question 1: bash, rule team-push about git push: denied',
    'PASSED OVER: bash call call_4 was carried out unasked',
    'The guard was passed over in this run. The guard is advice once bash is allowed; the container is the boundary.',
  ])
    expect(text).toContain(part);
});

test('policy explain shows call, decision, who took it, every rule with its origin, and the layers', async () => {
  const { stdout, code } = await run(['policy', 'explain', NEW, '2']);
  expect(code).toBe(0);
  for (const part of [
    'Call       [2] call_2 bash; the gateway saw it (observed)\n  | git push␛[2J origin main\n',
    'Decision   denied (denied by you, rule team-push)\n',
    'By         your answer\n',
    'Because    Denied by the user: no\n',
    'Asked      question 1, by rule team-push, about git push\n',
    'Rules      team-push (ask), from /home/u/team.yaml:4: program git, subcommand push\n',
    '           commands.default (allow), from ',
    'Layers     built in; profile edit',
  ])
    expect(stdout).toContain(part);
});

test.each([
  ['call_3', ['denied (guard)', 'the guard, inside, by itself', 'By itself it says allow']],
  ['call_1/1', ['call_1/1 bash; as pi says (claimed)', 'denied (gate, rule gate.tool)']],
  ['call_4', ['none: the gate was not asked', 'over: it was carried out without asking', 'The policy says allow']],
  ['open', ['none: the run ended before the question was answered', 'Asked      question 2']],
  ['long', ['too long to be on record whole', 'denied (policy rule team-push)']],
])('policy explain %s', async (call, parts) => {
  const { stdout } = await run(['policy', 'explain', NEW, call]);
  for (const part of parts) expect(stdout).toContain(part);
});

test('a call that is not there, and a run without a policy, are refused with what to do', async () => {
  expect(await run(['policy', 'explain', NEW, 'nosuch'])).toMatchObject({ code: 2, stdout: '' });
  const other = offline();
  writeRun(other.home, NEW, { 'outcome.json': COMPLETED, 'events.jsonl': stamped(NEW, toolCall('a', '')) });
  const ended = await other.run(['policy', 'explain', NEW, 'a']);
  expect(ended.code).toBe(5);
  expect(ended.stderr).toContain('has no policy on record');
});
