import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { endOf, ledger, ofType, piEvents, textOf } from '../support/pi-records.ts';
import { bash, call, type EndedRun, Session } from '../support/session.ts';

const session = new Session();
const repo = session.repository('repo', { 'README.md': 'hello\n', 'names.txt': 'one\ntwo\nthree\n' });

describe('the stages of a tool call (M1)', () => {
  let run: EndedRun;
  let logs: string;
  let show: string;
  beforeAll(async () => {
    const rules = [
      { id: 'no-touch', verdict: 'deny', reason: 'Nothing is touched here.', programs: ['touch'] },
      { id: 'ask-name', verdict: 'ask', reason: 'Names are asked for.', programs: ['hostname'] },
    ];
    const policy = path.join(session.folder, 'stages.json');
    writeFileSync(policy, JSON.stringify({ version: 1, commands: { rules } }), { mode: 0o600 });
    run = await session.run(
      repo,
      [
        bash('mkfifo pipe'),
        { tools: [call('nosuch')] },
        { expect: 'Tool nosuch not found', tools: [call('bash', { command: 5, timeout: 'x' })] },
        { expect: 'Validation failed for tool "bash"', ...bash('touch vetoed.txt') },
        { expect: 'pi-sandbox: Nothing is touched here.', ...bash('hostname') },
        { expect: 'in this run nobody can be asked', tools: [call('read', { path: 'pipe' })] },
        { expect: 'works on regular files only', tools: [call('read', { path: 'missing.txt' })] },
        { expect: 'ENOENT', ...bash('sleep 60') },
        { expect: ['Command timed out after 1 seconds', 'is the default of this sandbox'], ...bash('exit 3') },
        { expect: 'Command exited with code 3', ...bash('ls') },
        { expect: 'README.md', expectNot: 'vetoed.txt', text: 'done' },
      ],
      { args: ['--bash-timeout', '1s', '--policy', policy] },
    );
    logs = (await session.cli(['logs', ofType(run.records, 'outcome').run])).stdout.toString();
    show = (await session.cli(['show', ofType(run.records, 'outcome').run])).stdout.toString();
  });

  test.each([
    ['an unknown tool', 'call_2_1', 'unknown tool'],
    ['arguments of the wrong type', 'call_3_1', 'invalid arguments'],
    ['a veto of the policy', 'call_4_1', 'policy rule no-touch'],
    ['a question without anybody to answer', 'call_5_1', 'no answer'],
    ['a veto of the guard', 'call_6_1', 'guard'],
    ['a failing tool', 'call_7_1', 'tool error'],
    ['a result that the guard rewrote', 'call_8_1', 'tool error'],
    ['a failing command', 'call_9_1', 'tool error'],
  ])('%s is an error that the model sees, and logs and show name the stage', (_what, id, stage) => {
    expect(endOf(run.records, id).isError).toBe(true);
    const position = piEvents(run.records, 'tool_execution_end').findIndex(({ toolCallId }) => toolCallId === id) + 1;
    expect(logs).toMatch(new RegExp(`= \\[${position}\\] (refused \\(${stage}[^)]*\\)|${stage} after)`));
    expect(show).toMatch(new RegExp(`\\[${position}\\] \\w+: ${stage}\\b`));
  });

  test('none of them ends the run, and each has reached the model by the next call', () => {
    // The script checks each text in what the gateway was sent next, and fails the run where it is missing.
    expect(ofType(run.records, 'outcome')).toMatchObject({ outcome: 'completed', exitCode: 0, requests: 11 });
    expect(endOf(run.records, 'call_10_1').isError).toBe(false);
  });

  test('a script that expects another text fails, so the check above can fail', async () => {
    const off = await session.run(repo, [{ tools: [call('nosuch')] }, { expect: 'no such words', text: 'done' }]);
    expect(off.code).toBe(1);
    expect(ofType(off.records, 'outcome')['reason']).toContain('no such words');
  });

  test('a rewritten result is put down by the guard, under the id of the call', () => {
    const entries = piEvents(run.records, 'entry_appended').map(({ entry }) => entry?.data);
    expect(entries).toContainEqual({ v: 1, kind: 'default-timeout', call: 'call_8_1', seconds: 1 });
  });

  test('a veto keeps the tool from running: it has no duration and left no trace', () => {
    for (const call of [4, 5, 6]) expect(endOf(run.records, `call_${call}_1`).durationMs).toBeUndefined();
    expect(endOf(run.records, 'call_7_1').durationMs).toBeGreaterThanOrEqual(0);
  });
});

describe('several calls in one turn (M2)', () => {
  let run: EndedRun;
  beforeAll(async () => {
    const meet = (own: string, other: string) => `touch /tmp/${own}; until [ -e /tmp/${other} ]; do sleep 0.02; done`;
    run = await session.run(repo, [
      {
        tools: [
          call('bash', {
            command: `${meet('a', 'b')}; until [ -e /tmp/b-done ]; do sleep 0.02; done; sleep 0.5; echo result-a`,
            timeout: 30,
          }),
          call('read', { path: 'README.md' }),
          call('bash', { command: `${meet('b', 'a')}; touch /tmp/b-done; echo result-b`, timeout: 30 }),
          call('edit', { path: 'names.txt', edits: [{ oldText: 'one', newText: 'ONE' }] }),
          call('edit', { path: 'names.txt', edits: [{ oldText: 'two', newText: 'TWO' }] }),
          call('edit', { path: 'names.txt', edits: [{ oldText: 'three', newText: 'THREE' }] }),
        ],
      },
      { expect: ['result-a', 'result-b', 'hello'], ...bash('cat names.txt') },
      { expect: 'ONE\nTWO\nTHREE\n', text: 'done' },
    ]);
  });
  const ids = Array.from({ length: 6 }, (_, index) => `call_1_${index + 1}`);

  test('are checked in the order in which they were asked for', () => {
    const starts = piEvents(run.records, 'tool_execution_start').map(({ toolCallId }) => toolCallId);
    expect(starts.slice(0, ids.length)).toEqual(ids);
  });

  test('run at the same time: two that wait for each other both end', () => {
    expect(textOf(run.records, 'call_1_1')).toBe('result-a\n');
    expect(textOf(run.records, 'call_1_3')).toBe('result-b\n');
  });

  test('end as they finish, and give their results in the order asked', () => {
    const ends = piEvents(run.records, 'tool_execution_end').map(({ toolCallId }) => toolCallId);
    expect(ends.indexOf('call_1_3')).toBeLessThan(ends.indexOf('call_1_1'));
    const results = piEvents(run.records, 'message_end').filter(({ message }) => message?.role === 'toolResult');
    expect(results.map(({ message }) => message?.toolCallId).slice(0, ids.length)).toEqual(ids);
    expect(results[0]?.message?.content?.[0]?.text).toBe('result-a\n');
    expect(results[2]?.message?.content?.[0]?.text).toBe('result-b\n');
  });

  test('that change one file queue, so that none undoes another', () => {
    expect(textOf(run.records, 'call_2_1')).toBe('ONE\nTWO\nTHREE\n');
    expect(run.code).toBe(0);
  });
});

describe('a repository that is only looked at (M4)', () => {
  test('has no tool that writes or runs: each attempt fails, nothing is written, and the host sees it', async () => {
    const attempts = [
      call('bash', { command: 'touch /tmp/ran written.txt' }),
      call('write', { path: 'written.txt', content: 'x' }),
      call('edit', { path: 'README.md', edits: [{ oldText: 'hello', newText: 'bye' }] }),
      call('powershell', { command: 'New-Item written.txt' }),
      call('codemode', { code: "return await tools.bash({ command: 'touch written.txt' });" }),
      call('tool_search', { query: 'bash' }),
    ];
    const run = await session.run(
      repo,
      [
        { tools: attempts },
        {
          expect: attempts.map(({ name }) => `Tool ${name} not found`),
          tools: [
            call('ls', { path: '.' }),
            call('read', { path: 'README.md' }),
            call('find', { pattern: 'ran', path: '/tmp' }),
          ],
        },
        { expect: ['README.md', 'hello'], expectNot: 'written.txt', text: 'done' },
      ],
      { args: ['--profile', 'triage'] },
    );
    expect(run.code).toBe(0);
    expect(textOf(run.records, 'call_2_2')).toBe('hello\n');
    expect(textOf(run.records, 'call_2_3')).toBe('No files found matching pattern');
    // What the model asked for, as the host saw it; and pi asked the gate about none of it.
    const said = run.records.filter(({ type }) => type === 'gateway.response');
    expect(said[0]?.['toolCalls']).toMatchObject(attempts.map(({ name }) => ({ name })));
    const asked = run.records.filter(({ type }) => type === 'gate').map((record) => record['call']);
    expect(asked).toEqual(['call_2_1', 'call_2_2', 'call_2_3']);
  });
});

describe('the tools of a run (M3)', () => {
  /** What pi declared to the model, and the gateway let pass. */
  const declared = ({ records }: EndedRun): string[] =>
    piEvents(records, 'message_start').flatMap(({ message }) => message?.toolsAdded?.map(({ name }) => name) ?? []);

  test.each([
    ['triage', ['--profile', 'triage'], ['read', 'grep', 'find', 'ls']],
    ['changes', ['--profile', 'triage', '--tools', '+write,-ls'], ['read', 'write', 'grep', 'find']],
    ['a list and exclusions', ['--tools', 'read,bash,ls', '--exclude-tools', 'b*'], ['read', 'ls']],
    ['none', ['--tools', ''], []],
  ])('%s are what pi declares, what the plan says and what can be called', async (_what, args, tools) => {
    const missing = tools.includes('write') ? 'bash' : 'write';
    const run = await session.run(
      repo,
      [
        { tools: [call(missing, { path: 'x', content: 'x', command: 'id' })] },
        { expect: `Tool ${missing} not found`, text: 'done' },
      ],
      { args },
    );
    expect(run.code).toBe(0);
    expect(declared(run).sort()).toEqual([...tools].sort());
    expect(ofType(run.records, 'run_started')['tools']).toEqual(tools);
  });

  test('a file of the user selects and excludes by the same rules, and options come after it', async () => {
    const file = (tools: object, name: string): string[] => {
      const policy = path.join(session.folder, name);
      writeFileSync(policy, JSON.stringify({ version: 1, extends: 'triage', tools }), { mode: 0o600 });
      return ['--policy', policy];
    };
    const fits = file({ select: '+bash,+write', exclude: 'l*' }, 'fits.json');
    const run = await session.run(repo, [{ text: 'done' }], { args: [...fits, '--tools', '-write'] });
    expect(declared(run).sort()).toEqual(['bash', 'find', 'grep', 'read']);
    for (const [tools, words] of [
      [{ select: 'read,+grep' }, 'cannot be mixed'],
      [{ select: '+gr*' }, 'not patterns'],
      [{ exclude: 'writ' }, 'Did you mean "write"'],
    ] as const) {
      const refused = await session.run(repo, [{ text: 'never' }], { args: file(tools, 'misfit.json') });
      expect(refused.code).toBe(2);
      expect(refused.stderr.toString()).toContain(words);
      expect(refused.stderr.toString()).toContain('misfit.json:1:');
      expect(refused.records).toEqual([]);
    }
  });

  test.each([
    [['--tools', 'raed'], 'Did you mean "read"'],
    [['--exclude-tools', 'bahs'], 'Did you mean "bash"'],
    [['--tools', 'read,+grep'], 'cannot be mixed'],
  ])('%j is refused before anything starts', async (args, words) => {
    const refused = await session.run(repo, [{ text: 'never' }], { args });
    expect(refused.code).toBe(2);
    expect(refused.stderr.toString()).toContain(words);
    expect(refused.records).toEqual([]);
  });

  test('a process that offers the model another tool is refused by the gateway, and that ends the run', async () => {
    const ask = (tools: string[]) => {
      const toolsAdded = tools.map((name) => ({
        name,
        description: name,
        parameters: { type: 'object', properties: {} },
      }));
      const messages = [
        { role: 'system', content: 'x', toolsAdded, timestamp: 1 },
        { role: 'user', content: 'x', timestamp: 1 },
      ];
      const body = JSON.stringify({ model: 'scripted', context: { messages }, options: {} });
      const init = `{method:'POST',headers:{authorization:'Bearer placeholder','content-type':'application/json'},body:${JSON.stringify(body)}}`;
      return `node -e "$(cat <<'EOF'\nfetch('http://127.0.0.1:18080/messages',${init}).then(async (r) => console.log(r.status, (await r.text()).slice(0, 300)))\nEOF\n)"`;
    };
    const run = await session.run(
      repo,
      [
        bash(ask(['bash'])),
        { text: 'a stolen turn' },
        { expect: '200', ...bash(ask(['bash', 'evil'])) },
        { text: 'never' },
      ],
      { args: ['--tools', 'bash'] },
    );
    expect(run.code).toBe(4);
    expect(ofType(run.records, 'outcome')).toMatchObject({ outcome: 'policy_stopped' });
    const entries = ledger(session.runs, run.records[0]?.run ?? '');
    expect(entries.filter(({ entry }) => entry === 'refused')).toHaveLength(1);
    expect(entries.filter(({ entry }) => entry === 'open')).toHaveLength(3);
  });
});
