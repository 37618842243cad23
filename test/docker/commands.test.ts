import { createServer } from 'node:net';
import { beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import { testEngine } from '../support/engine.ts';
import { endOf, isUpdate, ledger, piEvents, textOf } from '../support/pi-records.ts';
import { agentOf } from '../support/run-container.ts';
import { bash, type EndedRun, Session } from '../support/session.ts';
import { execIn, listeningSockets } from '../support/view.ts';
import { withoutRules } from '../support/without-rules.ts';

const session = new Session();
const repo = session.repository('repo', { 'README.md': 'hello\n', 'ünïcode.txt': 'x\n' });
const GO = '/tmp/go';
const UNTIL_GO = `echo waiting; until [ -e ${GO} ]; do sleep 0.02; done`;

let engine: Engine;
beforeAll(async () => {
  engine = await testEngine();
});

describe('a command that takes too long, dies or leaves something behind (M8)', () => {
  let run: EndedRun;
  let left: string[];
  let container: string;
  beforeAll(async () => {
    const live = session.start(
      repo,
      [
        bash(
          'sleep 6001 & (setsid sleep 6002 &) ; sleep 6003',
          { command: 'sleep 6004 & sleep 6005', timeout: 1 },
          'sleep 6006 & echo done',
          'sleep 6007 >/dev/null & echo half',
          'python3 -m http.server 8123 & echo up',
          'kill -9 $$',
          "bash -c 'kill -TERM $$'",
          "trap '' TERM HUP INT; sleep 6008",
        ),
        bash({ command: UNTIL_GO, timeout: 60 }),
        { text: 'done' },
      ],
      { args: ['--bash-timeout', '2s'] },
    );
    await live.until((record) => isUpdate(record, 'waiting'));
    const agent = await agentOf(engine, live);
    container = agent.container;
    left = (await execIn(engine, container, agent.uid, '/bin/ps', '-eo', 'args=')).split('\n');
    await execIn(engine, container, agent.uid, '/bin/touch', GO);
    run = await live.ended;
  });

  test('ends by the default timeout of the plan, in words that name it', () => {
    expect(endOf(run.records, 'call_1_1')).toMatchObject({ isError: true });
    expect(textOf(run.records, 'call_1_1')).toMatch(
      /^Command timed out after 2 seconds\. 2 seconds is the default of this sandbox/,
    );
    expect(endOf(run.records, 'call_1_1').durationMs).toBeLessThan(20_000);
  });

  test('ends by its own timeout, and is not told about a default', () => {
    expect(textOf(run.records, 'call_1_2')).toBe('Command timed out after 1 seconds');
  });

  test('ends with the whole tree of its processes, also where they ignore polite signals', () => {
    expect(left.filter((line) => /^sleep 600[13458]/.test(line))).toEqual([]);
    // The one in a session of its own escapes the tree; only the container ends it. It shows that the look can find one.
    expect(left.filter((line) => line === 'sleep 6002')).toHaveLength(1);
    expect(textOf(run.records, 'call_1_8')).toContain('timed out after 2 seconds');
  });

  test.each([
    ['call_1_3', 'done\n'],
    ['call_1_4', 'half\n'],
    ['call_1_5', 'up\n'],
  ])('that leaves a background process returns at once (%s) (D19)', (id, text) => {
    expect(endOf(run.records, id).isError).toBe(false);
    expect(textOf(run.records, id)).toContain(text);
    expect(textOf(run.records, id)).not.toContain('timed out');
    expect(endOf(run.records, id).durationMs).toBeLessThan(2_000);
  });

  test('killed by a signal has exit code 128 and the signal', () => {
    expect(textOf(run.records, 'call_1_6')).toContain('Command exited with code 137');
    expect(textOf(run.records, 'call_1_7')).toContain('Command exited with code 143');
  });

  test('leaves nothing after the run: survivors end with the container', async () => {
    expect(left).toContain('sleep 6006');
    expect(run.code).toBe(0);
    expect(await engine.inspect(container)).toBeUndefined();
  });
});

describe('what a command finds', () => {
  let run: EndedRun;
  beforeAll(async () => {
    run = await session.run(
      repo,
      [
        bash(
          'command -v rg fd git node python3 cc',
          `touch ${GUEST.agentDir}/x; mkdir -p ${GUEST.agentDir}/bin; touch ${GUEST.agentDir}/auth.json; touch /tmp/x && echo control`,
          "date +%Z%z; node -e 'console.log(new Date().toString())'; locale charmap; ls",
          'env | sort',
          'cd; mkdir -p .cache && touch .cache/x && echo home; df --output=target /tmp | tail -1; whoami',
        ),
        { text: 'done' },
      ],
      { args: withoutRules(session.folder), env: { TZ: 'Asia/Kolkata', LANG: 'de_DE.UTF-8', LC_ALL: 'de_DE.UTF-8' } },
    );
  });

  test('rg and fd are on the path, and git, node, python and a compiler (M19)', () => {
    expect(endOf(run.records, 'call_1_1').isError).toBe(false);
    expect(textOf(run.records, 'call_1_1').trim().split('\n')).toHaveLength(6);
  });

  test("pi's own folder cannot be written, so that no search tool and no login can be planted (M19)", () => {
    const text = textOf(run.records, 'call_1_2');
    expect(text.match(/Read-only file system/g)).toHaveLength(3);
    expect(text).toContain('control');
  });

  test('time is UTC and text is UTF-8, whatever the host has (D80)', () => {
    const text = textOf(run.records, 'call_1_3');
    expect(text).toContain('UTC+0000');
    expect(text).toContain('GMT+0000 (Coordinated Universal Time)');
    expect(text).toContain('UTF-8');
    expect(text).toContain('ünïcode.txt');
    expect(text).not.toContain('?');
    for (const { time } of run.records) expect(time).toMatch(/Z$/);
  });

  test('the environment holds none of the settings that pi and we need, and none of the host', () => {
    const names = textOf(run.records, 'call_1_4').match(/^[A-Za-z_]\w*(?==)/gm) ?? [];
    expect(names).toContain('PATH');
    expect(names.filter((name) => /^(PI_CODING_AGENT_DIR|PI_SANDBOX|NODE_|JITI|LC_ALL|XDG)/.test(name))).toEqual([]);
  });

  test('home and temp folders can be written (D78)', () => {
    expect(textOf(run.records, 'call_1_5')).toMatch(/home\n\/tmp\nagent\d+/);
  });
});

describe('a run that goes on', () => {
  test('shows the output of a tool while it runs (M20)', async () => {
    const live = session.start(repo, [bash(`${UNTIL_GO}; echo second`), { text: 'done' }]);
    await live.until((record) => isUpdate(record, 'waiting'));
    expect(piEvents(live.records, 'tool_execution_end')).toEqual([]);
    const { container, uid } = await agentOf(engine, live);
    await execIn(engine, container, uid, '/bin/touch', GO);
    const run = await live.ended;
    expect(textOf(run.records, 'call_1_1')).toBe('waiting\nsecond\n');
  });

  test('is the only one that its gateway serves: nothing listens on the host, and the end of the run ends it (M17)', async () => {
    const live = session.start(repo, [bash('echo first'), { delay: '10m', text: 'never' }]);
    const run = String((await live.until(({ type }) => type === 'ready')).run);
    await live.until((record) => record.type === 'gateway.request' && record['call'] === 2);
    const { container, uid } = await agentOf(engine, live);
    expect(listeningSockets(live.child.pid ?? 0)).toEqual([]);
    const answer = await fetchInside(container, uid);
    expect(answer).toMatch(/^4\d\d /);

    expect((await session.cli(['stop', run])).code).toBe(0);
    expect((await live.ended).code).toBe(143);
    expect(await engine.inspect(container)).toBeUndefined();
    await expect(fetchInside(container, uid)).rejects.toThrow();
    const calls = ledger(session.runs, run).filter(({ entry }) => entry === 'open' || entry === 'close');
    expect(calls.map(({ entry }) => entry)).toEqual(['open', 'close', 'open', 'close']);
    expect(calls.at(-1)).toMatchObject({ stopReason: 'aborted' });
  });

  test('the look for listening sockets finds one', async () => {
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    expect(listeningSockets(process.pid)).not.toEqual([]);
    server.close();
  });
});

function fetchInside(container: string, uid: number): Promise<string> {
  const script = `fetch('http://127.0.0.1:18080/nothing').then(async (r) => console.log(r.status, await r.text()))`;
  return execIn(engine, container, uid, GUEST.node, '-e', script);
}
