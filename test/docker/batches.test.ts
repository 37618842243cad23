import { expect, test } from 'vitest';
import { ofType, textOf } from '../support/pi-records.ts';
import { bash, call, type EndedRun, Session } from '../support/session.ts';

const session = new Session();

/**
 * An extension of a trusted project. pi itself has no tool that must run alone and no veto that ends a run, so these come
 * from there.
 */
const EXTENSION = `export default function (pi) {
  pi.registerTool({
    name: 'alone', label: 'alone', description: 'runs alone', executionMode: 'sequential',
    parameters: { type: 'object', properties: {}, additionalProperties: false },
    async execute() { return { content: [{ type: 'text', text: 'alone' }], details: {} }; },
  });
  pi.on('tool_call', ({ input }) =>
    input.command === 'enough' ? { block: true, reason: 'It is enough.', terminate: true } : undefined);
}`;
const repo = session.repository('repo', { '.pi/extensions/x.ts': EXTENSION });
const TRUSTED = ['--trust-project', '--tools', '+alone'];

const requests = ({ records }: EndedRun): number => records.filter(({ type }) => type === 'gateway.request').length;

test('beside a tool that must run alone, the calls of a turn run one after the other (M2)', async () => {
  const stamp = 'date +%s%N; sleep 0.3; date +%s%N';
  const run = await session.run(
    repo,
    [
      { tools: [call('bash', { command: stamp }), call('alone'), call('bash', { command: stamp })] },
      { expect: 'alone', text: 'done' },
    ],
    { args: TRUSTED },
  );
  expect(run.code, String(ofType(run.records, 'outcome')['reason'])).toBe(0);
  const times = ['call_1_1', 'call_1_3'].flatMap((id) => textOf(run.records, id).trim().split('\n').map(BigInt));
  expect(times).toHaveLength(4);
  expect(times).toEqual([...times].sort((a, b) => (a < b ? -1 : 1)));
});

test('a veto that ends the run does so only when all calls of the turn agree (M2)', async () => {
  const run = await session.run(
    repo,
    [
      bash('enough', 'echo go on'),
      { expect: ['It is enough.', 'go on'], ...bash('enough', 'enough') },
      { text: 'never' },
    ],
    { args: [...TRUSTED, '--idle-timeout', '5s'] },
  );
  for (const id of ['call_1_1', 'call_2_1', 'call_2_2']) expect(textOf(run.records, id)).toBe('It is enough.');
  expect(requests(run)).toBe(2);
  // The last answer of the model asked for tools, so that pi's word for being done is not taken.
  expect(ofType(run.records, 'outcome')).toMatchObject({ outcome: 'limit_reached', limit: 'idleMs' });
});
