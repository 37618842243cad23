import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { strictParse } from '../../src/lib/strict-parse.ts';
import { policyDigest } from '../../src/policy/effective.ts';
import { RunPlan } from '../../src/protocol/plan.ts';
import { Policy } from '../../src/protocol/policy.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { bash, Session } from '../support/session.ts';

const session = new Session();
const repo = session.repository('repo', { 'README.md': 'hello\n', 'big.dump': 'data\n' });

beforeAll(async () => {
  await imageReady();
}, IMAGE_MS);

function policyFile(name: string, text: string): string {
  const file = path.join(session.folder, name);
  mkdirSync(path.dirname(file), { recursive: true });
  writeFileSync(file, `version: 1\n${text}`, { mode: 0o600 });
  return file;
}

describe('a run with a policy', () => {
  test('has its tools, limits and files, and keeps the whole policy beside the plan', async () => {
    const config = policyFile('config/pi-sandbox/policy.yaml', 'limits: {pids: 300}\ntools: {select: "-write"}\n');
    const team = policyFile(
      'team.yaml',
      'extends: review\nlimits: {bashTimeout: 7s}\nworkspace: {exclude: ["*.dump"]}\n',
    );
    const { code, records } = await session.run(
      repo,
      [{ tools: [{ name: 'bash', arguments: { command: 'ls' } }] }, { expect: 'README.md', text: 'done' }],
      { args: ['--policy', team, '--tools', '-find'], env: { XDG_CONFIG_HOME: path.dirname(path.dirname(config)) } },
    );
    expect(code).toBe(0);
    const started = records.find(({ type }) => type === 'run_started');
    expect(started).toMatchObject({ profile: 'review', tools: ['read', 'bash', 'grep', 'ls'] });
    expect(records.find(({ type }) => type === 'imported')).toMatchObject({ files: 1 });
    expect(JSON.stringify(records)).not.toContain('big.dump\\n');

    const [run] = readdirSync(session.runs);
    const folder = path.join(session.runs, run ?? '');
    const read = (name: string): unknown => JSON.parse(readFileSync(path.join(folder, name), 'utf8'));
    const policy = strictParse(Policy, read('policy.json'));
    const plan = strictParse(RunPlan, read('plan.json'));
    if (!policy.ok || !plan.ok) throw new Error('not what the schemas say');
    expect(statSync(path.join(folder, 'policy.json')).mode & 0o777).toBe(0o600);
    expect(plan.value.policy).toEqual({ sha256: policyDigest(policy.value), layers: policy.value.layers });
    expect(plan.value.limits.bashTimeoutSeconds).toBe(7);
    expect(plan.value.container.pids).toBe(300);
    expect(policy.value.layers.map(({ origin }) => origin)).toEqual([
      'built in',
      'profile review',
      config,
      team,
      'options',
    ]);
  });

  test('keeps the text of the policy out of the container', async () => {
    const rule = '{id: xyzzy-rule, verdict: ask, reason: R., names: [xyzzy]}';
    const team = policyFile('secretive.yaml', `off: [process-internals, foreign-memory]\npaths: {rules: [${rule}]}\n`);
    // The control is the one that is found. Written so that the command does not find itself.
    const places = '/opt/pi-sandbox/guest /workspace /home /tmp /proc/[0-9]*/environ';
    const command = `echo xyzzy''-rule >/tmp/control; echo found $(grep -rsl 'xyzz[y]-rule' ${places} | wc -l).`;
    const { code } = await session.run(
      repo,
      [{ tools: [{ name: 'bash', arguments: { command } }] }, { expect: 'found 1.', text: 'done' }],
      { args: ['--policy', team] },
    );
    expect(code).toBe(0);
  });

  test('that asks for more than the engine has is told which line does', async () => {
    const team = policyFile('greedy.yaml', 'limits:\n  cpus: 5000\n');
    const { code, stderr } = await session.cli([
      'run',
      repo,
      'go',
      '--model',
      session.script([{ text: 'never' }]),
      '--policy',
      team,
    ]);
    expect(code).toBe(2);
    expect(stderr.toString()).toContain(`limits.cpus (${team}:3) 5000 asks for more.`);
  });

  test('with a model that it does not allow starts nothing', async () => {
    const before = existsSync(session.runs) ? readdirSync(session.runs) : [];
    const team = policyFile('models.yaml', 'models: {allow: ["anthropic/*"]}\n');
    const { code, stderr } = await session.cli([
      'run',
      repo,
      'go',
      '--model',
      session.script([{ text: 'never' }]),
      '--policy',
      team,
    ]);
    expect(code).toBe(2);
    expect(stderr.toString()).toContain(`models.allow names anthropic/*. It is set in ${team}:2`);
    expect(existsSync(session.runs) ? readdirSync(session.runs) : []).toEqual(before);
  });

  test('that caps the time of commands has longer ones changed, and the others left', async () => {
    const team = policyFile('cap.yaml', 'limits: {bashTimeout: 20s, maxBashTimeout: 1s}\n');
    const sleeps = (timeout?: number) => ({
      tools: [{ name: 'bash', arguments: { command: 'sleep 30', ...(timeout === undefined ? {} : { timeout }) } }],
    });
    const run = await session.run(
      repo,
      [
        sleeps(25),
        { expect: 'timed out after 1 seconds', ...sleeps() },
        { expect: 'timed out after 1 seconds', ...bash('true') },
        { text: 'done' },
      ],
      { args: ['--policy', team] },
    );
    expect(run.code, run.stderr.toString()).toBe(0);
    const gates = run.records.filter(({ type }) => type === 'gate');
    expect(gates.map(({ verdict }) => verdict)).toEqual(['change', 'allow', 'allow']);
    expect(gates[0]).toMatchObject({ rule: 'limits.maxBashTimeout', arguments: { command: 'sleep 30', timeout: 1 } });
    const explained = await session.cli(['policy', 'explain', run.records[0]?.run ?? '', '1']);
    expect(explained.stdout.toString()).toContain(
      'Decision   allowed with other arguments (rule limits.maxBashTimeout)',
    );
    expect(explained.stdout.toString()).toContain(`limits.maxBashTimeout (change), from ${team}:2: `);
  });

  test.each([
    ['a key that is not known', 'comands: {default: deny}\n', 'did you mean "commands"?'],
    ['a rule that is not there', 'off: [no-such-rule]\n', 'no weaker layer has a rule'],
    ['a pattern that cannot be used', 'redaction: {patterns: [{id: x, pattern: "(?=a)"}]}\n', 'look-around'],
    ['text that is no YAML', 'tools: {select: "read\n', 'bad.yaml:'],
  ])('that is wrong starts nothing: %s (M10)', async (_what, text, words) => {
    const before = readdirSync(session.runs);
    const bad = policyFile('bad.yaml', text);
    const refused = await session.run(repo, [{ text: 'never' }], { args: ['--policy', bad] });
    expect(refused.code).toBe(2);
    expect(refused.stderr.toString()).toContain(words);
    expect(refused.stdout.toString()).toBe('');
    expect(readdirSync(session.runs)).toEqual(before);
  });
});
