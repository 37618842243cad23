import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { GUEST } from '../../src/protocol/guest.ts';
import { MCP_PROGRAM } from '../support/mcp-program.ts';
import { declaredIn, endOf, ofType, textOf } from '../support/pi-records.ts';
import { bash, call, type EndedRun, Session } from '../support/session.ts';

const session = new Session();
const SEVEN = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'];
const DONE = { text: 'done' };
let count = 0;

function policy(content: Readonly<Record<string, unknown>>): string[] {
  const file = path.join(session.folder, `policy-${++count}.json`);
  writeFileSync(file, JSON.stringify({ version: 1, ...content }), { mode: 0o600 });
  return ['--policy', file];
}

const decision = ({ records }: EndedRun, id: string) =>
  records.find(({ type, ...record }) => type === 'gate' && record['call'] === id);
const reasonOf = ({ records }: EndedRun): string => String(ofType(records, 'outcome')['reason']);

describe('calls that a script makes (M12)', () => {
  const attempts = [
    "tools.bash({ command: 'cat README.md' })",
    "tools.bash({ command: 'touch forbidden.txt' })",
    "tools.write({ path: 'nested.txt', content: 'x' })",
    "tools.read({ path: 'missing.txt' })",
    'tools.codemode({ code: "return 1" })',
    "Promise.all(['image', 'classifier'].map((type) => models.getAvailableOfType(type)))",
  ];
  const script = `const said = [];
    for (const attempt of [${attempts.map((attempt) => `() => ${attempt}`).join(', ')}]) {
      try { said.push('yes: ' + JSON.stringify(await attempt())); } catch (error) { said.push('no: ' + error.message); }
    }
    return said.join('\\n');`;
  let run: EndedRun;
  let logs: string;

  beforeAll(async () => {
    const repo = session.repository('scripted', { 'README.md': 'hello\n' });
    const rules = [
      { id: 'no-nested-writes', verdict: 'deny', reason: 'Scripts do not write.', tools: ['write'], nested: true },
    ];
    const commands = [{ id: 'no-touch', verdict: 'deny', reason: 'Nothing is touched.', programs: ['touch'] }];
    const args = policy({ tools: { select: '+codemode', rules }, commands: { rules: commands } });
    const many = 'return (await Promise.all(Array.from({ length: 40 }, () => tools.ls({})))).length;';
    run = await session.run(
      repo,
      [
        { tools: [call('codemode', { code: script })] },
        { expect: 'Scripts do not write.', tools: [call('write', { path: 'direct.txt', content: 'x' })] },
        { tools: [call('codemode', { code: many })] },
        DONE,
      ],
      { args },
    );
    logs = (await session.cli(['logs', ofType(run.records, 'outcome').run])).stdout.toString();
  });

  test('come from a tool that pi declares beside the others', () => {
    expect(reasonOf(run)).toBe('The model ended its answer and pi left in order.');
    expect(declaredIn(run.records)).toEqual([...SEVEN, 'codemode']);
  });

  test('pass the same gate, one by one, and what it denies is an error in the script', () => {
    const text = textOf(run.records, 'call_1_1');
    expect(text).toMatch(/yes: \{"output":"hello\\n"/);
    expect(text).toContain('no: pi-sandbox: Nothing is touched.');
    expect(text).toContain('no: pi-sandbox: Scripts do not write.');
    expect(text).toContain('no: ENOENT');
    expect(text).toContain('no: tools.codemode does not exist.');
    // No other model can be reached.
    expect(text).toContain('no: Credential store read failed');
    expect(endOf(run.records, 'call_1_1').isError).toBe(false);
  });

  test('are on record as claims, with the call that made them', () => {
    const nested = { source: 'observed', seen: 'claimed', parent: 'call_1_1' };
    expect(decision(run, 'call_1_1/1')).toMatchObject({ ...nested, tool: 'bash', verdict: 'allow' });
    expect(decision(run, 'call_1_1/2')).toMatchObject({ ...nested, verdict: 'deny', rule: 'no-touch' });
    expect(decision(run, 'call_1_1/3')).toMatchObject({ ...nested, verdict: 'deny', rule: 'no-nested-writes' });
    expect(decision(run, 'call_1_1')).toMatchObject({ tool: 'codemode', seen: 'observed', verdict: 'allow' });
    expect(decision(run, 'call_2_1')).toMatchObject({ tool: 'write', seen: 'observed', verdict: 'allow' });
  });

  test('that were denied have changed nothing', () => {
    expect(ofType(run.records, 'changes')).toMatchObject({ changed: 1, counts: { add: 1 } });
  });

  test('all get an answer, however many come at once', () => {
    expect(textOf(run.records, 'call_3_1')).toContain('40');
    const nested = run.records.filter(({ type, ...record }) => type === 'gate' && record['parent'] === 'call_3_1');
    expect(nested.map((record) => record['verdict'])).toEqual(Array.from({ length: 40 }, () => 'allow'));
  });

  test('stand as a tree in the logs, with the stage that refused', () => {
    expect(logs).toContain('\n> [1] codemode: ');
    expect(logs).toContain('\n  > [2] bash, made by [1]: cat README.md');
    expect(logs).toContain('\n    = [2] done after');
    expect(logs).toMatch(
      /\n {2}> \[3\] bash, made by \[1\]: touch forbidden\.txt\n {4}= \[3\] refused \(policy rule no-touch\)/,
    );
    expect(logs).not.toContain('said to be called');
  });
});

describe('MCP servers (M13)', () => {
  const server = { command: GUEST.node, args: ['clock.mjs'] };
  const servers = (more: Readonly<Record<string, unknown>>) => ({
    mcp: { servers: { clock: { ...server, ...more } } },
  });
  const repo = session.repository('served', {
    'clock.mjs': MCP_PROGRAM,
    // What the repository itself asks for counts for nothing.
    '.pi/mcp.json': JSON.stringify({
      mcpServers: { clock: { command: 'false' }, other: { ...server, exposure: 'direct' } },
    }),
  });

  test('give the tools that the policy names, through the gate, and nothing else', async () => {
    const rules = [
      {
        id: 'no-destruction',
        verdict: 'deny',
        reason: 'It says that it destroys.',
        annotations: { destructiveHint: true },
      },
    ];
    const run = await session.run(
      repo,
      [
        {
          tools: [
            call('mcp__clock__now', { zone: 'UTC' }),
            call('mcp__clock__drop_all'),
            call('mcp__clock__secret'),
            call('mcp__other__now'),
            call('list_mcp_resources'),
          ],
        },
        DONE,
      ],
      { args: policy({ ...servers({ tools: ['now', 'drop-all'] }), tools: { rules } }) },
    );
    expect(run.code, reasonOf(run)).toBe(0);
    expect(declaredIn(run.records)).toEqual([...SEVEN, 'mcp__clock__now', 'mcp__clock__drop_all']);
    const around = '{"interfaces":["lo"],"sameUser":true,"writesAgentFolder":"EROFS"}';
    expect(textOf(run.records, 'call_1_1')).toBe(`served now ${around}`);
    expect(textOf(run.records, 'call_1_2')).toBe('pi-sandbox: It says that it destroys.');
    for (const id of ['call_1_3', 'call_1_4', 'call_1_5'])
      expect(textOf(run.records, id)).toMatch(/^Tool .* not found$/);
    expect(decision(run, 'call_1_1')).toMatchObject({ verdict: 'allow', seen: 'observed' });
    // What a tool says of itself is a hint, and the record says so (M11).
    expect(decision(run, 'call_1_2')).toMatchObject({
      verdict: 'deny',
      rule: 'no-destruction',
      matched: [
        { rule: 'no-destruction', detail: expect.stringContaining('what the tool says of itself, unverified') },
      ],
    });
  });

  test('give tools that are not declared to scripts, and to the model once it has searched', async () => {
    const code =
      "return [await tools.mcp__clock__now({}), ALL_TOOLS.map(({ name }) => name).filter((name) => name.includes('__'))];";
    const run = await session.run(
      repo,
      [
        { tools: [call('codemode', { code }), call('mcp__clock__now')] },
        { tools: [call('tool_search', { query: 'now' })] },
        { tools: [call('mcp__clock__now'), call('mcp__clock__secret')] },
        DONE,
      ],
      {
        args: policy({
          ...servers({ tools: ['now'], exposure: 'deferred' }),
          tools: { select: '+codemode,+tool_search' },
        }),
      },
    );
    expect(run.code, reasonOf(run)).toBe(0);
    expect(ofType(run.records, 'run_started')['tools']).toEqual([
      ...SEVEN,
      'codemode',
      'tool_search',
      'mcp__clock__now',
    ]);
    expect(textOf(run.records, 'call_1_1')).toMatch(/served now .*\["mcp__clock__now"\]/s);
    expect(decision(run, 'call_1_1/1')).toMatchObject({ verdict: 'allow', seen: 'claimed' });
    expect(textOf(run.records, 'call_1_2')).toBe('Tool mcp__clock__now not found');
    expect(textOf(run.records, 'call_3_1')).toMatch(/^served now /);
    expect(decision(run, 'call_3_1')).toMatchObject({ verdict: 'allow', seen: 'observed' });
    expect(textOf(run.records, 'call_3_2')).toBe('Tool mcp__clock__secret not found');
  });

  test('that do not start end the run before any model call, in words', async () => {
    const run = await session.run(repo, [DONE], { args: policy(servers({ args: ['nosuch.mjs'], tools: ['now'] })) });
    expect(run.code).not.toBe(0);
    expect(reasonOf(run)).toContain('planned but missing: "mcp__clock__now"; the MCP server did not start inside');
    expect(run.records.filter(({ type }) => type === 'gateway.request')).toEqual([]);
  });

  test('are off where no policy names one', async () => {
    const run = await session.run(repo, [bash('ps -eo args | grep -c "[c]lock.mjs"; true'), DONE]);
    expect(textOf(run.records, 'call_1_1').trim()).toBe('0');
    expect(declaredIn(run.records)).toEqual(SEVEN);
  });
});
