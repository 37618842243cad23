import { beforeAll, describe, expect, test } from 'vitest';
import type { Decision, GateQuestion, GateReply, JudgedCall } from '../../src/protocol/gate.ts';
import { type GateRun, gateRun } from '../support/gate-run.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { endOf, ofType, textOf } from '../support/pi-records.ts';
import { bash, call, Session } from '../support/session.ts';

const session = new Session();
const repo = session.repository('repo', { 'README.md': 'hello\n', 'a.txt': 'one two three\n' });
beforeAll(imageReady, IMAGE_MS);

const says = (verdict: Decision['verdict'], more: Partial<Decision> = {}): Decision => ({
  ...{ verdict, rule: `rule-${verdict}`, reason: `The test says ${verdict}.`, subject: 'test', matched: [] },
  ...more,
});
const gates = ({ records }: GateRun, id?: string) =>
  records.filter((record) => record.type === 'gate' && (id === undefined || record['call'] === id));

describe('a decision of the host (M9)', () => {
  let run: GateRun;
  const asked: GateQuestion[] = [];
  beforeAll(async () => {
    const replies: GateReply[] = [{ decision: 'once' }, { decision: 'deny', note: 'Not today.' }, { decision: 'run' }];
    run = await gateRun({
      repo,
      turns: [
        bash('echo allowed > allowed.txt', 'touch denied.txt', 'sleep 30'),
        { expect: ['The test says deny.', 'timed out after 1 seconds'], ...bash('echo ask one', 'echo ask two') },
        { expect: ['ask one', 'Not today.'], ...bash('echo ask three', 'echo ask four') },
        { expect: ['ask three', 'ask four'], ...bash('ls') },
        { expect: 'allowed.txt', expectNot: 'denied.txt', text: 'done' },
      ],
      decide: ({ arguments: args }: JudgedCall) => {
        const command = String(args['command']);
        if (command.startsWith('touch')) return says('deny');
        if (command.startsWith('sleep')) return says('change', { arguments: { command, timeout: 1 } });
        return says(command.startsWith('echo ask') ? 'ask' : 'allow');
      },
      askGate: async (question) => {
        asked.push(question);
        return replies[question.ask - 1] ?? { decision: 'deny' };
      },
    });
  });

  test('is done by pi: what may not run has no effect, what is changed runs changed', () => {
    // The script holds each text against what the model is sent next.
    expect(run.outcome).toMatchObject({ outcome: 'completed', exitCode: 0 });
    expect(endOf(run.records, 'call_1_2')).toMatchObject({ isError: true });
    expect(endOf(run.records, 'call_1_2').durationMs).toBeUndefined();
    expect(textOf(run.records, 'call_1_2')).toBe('pi-sandbox: The test says deny.');
    expect(run.changes?.counts).toEqual({ add: 1 });
  });

  test('is on record for each call, in the order in which pi asked (M2)', () => {
    expect(gates(run).map(({ call: id, verdict, by }) => `${id} ${verdict} ${by}`)).toEqual([
      'call_1_1 allow policy',
      'call_1_2 deny policy',
      'call_1_3 change policy',
      'call_2_1 allow answer',
      'call_2_2 deny answer',
      'call_3_1 allow answer',
      'call_3_2 allow answer',
      'call_4_1 allow policy',
    ]);
    for (const record of gates(run)) expect(record).toMatchObject({ source: 'observed', seen: 'observed' });
  });

  test('is in the ledger, behind the answer that asked for the call and before the request with its result', () => {
    expect(run.ledger.map((line) => (line.entry === 'gate' ? `${line.toolCall} ${line.verdict}` : line.entry))).toEqual(
      [
        ...['open', 'close', 'call_1_1 allow', 'call_1_2 deny', 'call_1_3 change'],
        ...['open', 'close', 'call_2_1 allow', 'call_2_2 deny'],
        ...['open', 'close', 'call_3_1 allow', 'call_3_2 allow'],
        ...['open', 'close', 'call_4_1 allow', 'open', 'close'],
      ],
    );
  });

  test('is asked for where the policy says so, one question after the other, and not twice for the run', () => {
    expect(asked.map(({ ask, call: id }) => `${ask} ${id}`)).toEqual(['1 call_2_1', '2 call_2_2', '3 call_3_1']);
    expect(run.records.filter(({ type }) => type === 'gate.ask')).toHaveLength(3);
    expect(textOf(run.records, 'call_2_2')).toBe('pi-sandbox: Denied by the user: Not today.');
  });
});

describe('what pi asks about is what the gateway saw', () => {
  const edit = { oldText: 'one', newText: 'two' };
  const FORMS: readonly [tool: string, args: Readonly<Record<string, unknown>>][] = [
    ['bash', { command: 'true', timeout: '5' }],
    ['bash', { command: true }],
    ['bash', { command: 'true', timeout: null, more: { deep: [1, null, -0, 1e21, 'é\u2028\ud800'] } }],
    ['read', { path: 'README.md', offset: '1', limit: true }],
    ['write', { path: 'w.txt', content: 5 }],
    ['edit', { path: 'e1', edits: [edit] }],
    ['edit', { path: 'e2', ...edit }],
    ['edit', { path: 'e3', edits: edit }],
    ['edit', { path: 'e4', edits: JSON.stringify(edit) }],
    ['edit', { path: 'e5', edits: JSON.stringify([edit]), more: 'x' }],
    ['edit', { path: 'e6', edits: [{ ...edit, more: 1 }], ...edit }],
    ['edit', { path: 'e7', edits: [edit], oldText: 'alone' }],
    ['grep', { pattern: 'one', ignoreCase: 'true', limit: '3', path: null }],
    ['ls', {}],
    ['find', { pattern: '*.txt', limit: 1.5 }],
  ];

  test('in every form that pi fits to its schema; each is judged with the arguments that the tool gets', async () => {
    const judged: JudgedCall[] = [];
    const run = await gateRun({
      repo,
      turns: [
        { tools: FORMS.map(([name, args]) => call(name, args)) },
        { tools: [call('write', { path: 'big.txt', content: 'x'.repeat(20_000) })] },
        { text: 'done' },
      ],
      request: { tools: 'read,bash,edit,write,grep,find,ls' },
      decide: (found) => {
        judged.push(found);
        return says('allow');
      },
    });
    expect(run.outcome).toMatchObject({ outcome: 'completed' });
    expect(gates(run).map(({ verdict, rule }) => `${verdict} ${rule}`)).toEqual(
      Array(FORMS.length + 1).fill('allow rule-allow'),
    );
    expect(judged.map(({ tool }) => tool)).toEqual([...FORMS.map(([tool]) => tool), 'write']);
    expect(judged[0]?.arguments).toEqual({ command: 'true', timeout: 5 });
    expect(judged[9]?.arguments).toEqual({ path: 'e5', edits: [edit], more: 'x' });
    expect(judged[10]?.arguments).toEqual({ path: 'e6', edits: [{ ...edit, more: 1 }, edit] });
    expect(judged[3]?.paths).toEqual([
      { argument: 'path', resolved: '/workspace/README.md', real: '/workspace/README.md' },
    ]);
  });

  test('a call that pi refuses by itself is never asked about, and is no bypass', async () => {
    const run = await gateRun({
      repo,
      turns: [
        { tools: [call('nosuch'), call('bash', { command: ['x'] }), call('bash', {})] },
        { expect: ['Tool nosuch not found', 'Validation failed'], text: 'done' },
      ],
      decide: () => says('allow'),
    });
    expect(run.outcome).toMatchObject({ outcome: 'completed' });
    expect(gates(run)).toEqual([]);
    expect(run.records.filter(({ type }) => type === 'gate.bypass')).toEqual([]);
  });

  test('a special file is refused inside, and the refusal is on record as what the guard said', async () => {
    const run = await gateRun({
      repo,
      turns: [
        bash('mkfifo pipe'),
        { tools: [call('read', { path: 'pipe' })] },
        { expect: 'works on regular files only', text: 'done' },
      ],
      decide: () => says('allow'),
    });
    expect(gates(run, 'call_2_1')).toMatchObject([{ verdict: 'deny', rule: 'guard', by: 'guard' }]);
    expect(run.outcome).toMatchObject({ outcome: 'completed' });
  });
});

describe('from the command line', () => {
  test('nobody can be asked with --json alone: what would be asked is denied, and says so (M9)', async () => {
    const run = await session.run(repo, [{ tools: [call('read', { path: '/proc/self/environ' })] }, { text: 'done' }]);
    expect(run.code).toBe(0);
    expect(ofType(run.records, 'gate')).toMatchObject({ verdict: 'deny', tool: 'read' });
    expect(endOf(run.records, 'call_1_1').isError).toBe(true);
  });
});
