import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { arm, TRICKS } from '../support/git-tricks.ts';
import { handedBack } from '../support/handed-back.ts';
import { endOf, textOf } from '../support/pi-records.ts';
import { bash, Session } from '../support/session.ts';
import { withoutRules } from '../support/without-rules.ts';

const session = new Session();
const DONE = { text: 'done' };

/** What the agent does to set them off: it switches the filters on, and adds settings and hooks of its own. */
const MARKER = path.join(session.folder, 'set-off-by-the-agent');
const AGENT = bash(
  'echo "* filter=evil diff=evil" > .gitattributes; echo changed > a.txt',
  `git config core.fsmonitor "touch ${MARKER}"; git config filter.evil.clean "touch ${MARKER}"; git config diff.external "touch ${MARKER}"`,
  `printf '#!/bin/sh\\ntouch ${MARKER}\\n' | tee .git/hooks/post-checkout .git/hooks/pre-commit > .git/hooks/post-index-change; chmod +x .git/hooks/*`,
  'mkdir -p sub/.git && cp -r .git/config .git/hooks sub/.git/; git init -q --bare bare; ls -A .git/hooks',
);

test('no command that looks at the workspace runs what the repository or the agent set up (D41)', async () => {
  const repo = session.repository('armed', { 'a.txt': 'a\n', 'lazy.txt': 'l\n' });
  const d41 = Object.fromEntries(Object.entries(TRICKS).filter(([name]) => name.includes('D41')));
  writeFileSync(path.join(repo, '.gitattributes'), 'a.txt filter=evil diff=evil\n');
  const tricks = arm(repo, d41);
  const quiet = (what: string): void => {
    expect({ sprung: tricks.sprung(), agent: existsSync(MARKER) }, what).toEqual({ sprung: [], agent: false });
  };

  const run = await session.run(repo, [AGENT, DONE], { args: withoutRules(session.folder) });
  expect(run.code, `${run.stderr}`).toBe(0);
  for (const call of ['call_1_1', 'call_1_2', 'call_1_3', 'call_1_4']) {
    expect(endOf(run.records, call).isError, textOf(run.records, call)).toBe(false);
  }
  quiet('run');
  expect(handedBack(session, run).list).toContain('modify a.txt');
  const id = run.records[0]?.run ?? '';
  const model = session.script([DONE]);
  const allow = ['--allow-risk', 'gitattributes'];
  const commands: readonly (readonly string[])[] = [
    ['diff', id],
    ['diff', id, '--stat'],
    ['diff', id, '--patch'],
    ['diff', id, '--json'],
    ['show', id],
    ['logs', id],
    ['ls'],
    ['apply', id, '--check', 'a.txt'],
    ['apply', id, '--branch', 'agent', 'a.txt'],
    ['apply', id, ...allow, 'a.txt', '.gitattributes'],
    ['run', repo, 'go', '--model', model, '--dry-run'],
    ['run', repo, 'go', '--model', model, '--workspace', 'mount', '--profile', 'review'],
    ['run', repo, 'go', '--model', model],
    ['doctor'],
    ['policy', 'show'],
  ];
  for (const command of commands) {
    const { code, stderr } = await session.cli(command, { cwd: repo });
    expect(code, `${command.join(' ')}: ${stderr}`).toBe(0);
    quiet(command.join(' '));
  }
  expect(readFileSync(path.join(repo, 'a.txt'), 'utf8')).toBe('changed\n');
  expect(existsSync(path.join(repo, 'sub/.git'))).toBe(false);
  for (const name of Object.keys(d41))
    expect(tricks.springs(name), `positive control: plain git runs ${name}`).toBe(true);
});

test('files that look like configuration of ours change nothing of a run (D13)', async () => {
  const plain = session.repository('plain', { 'README.md': '' });
  const policy = 'version: 1\nextends: review\nlimits: { pids: 77 }\nprojectFiles: { trust: true }\n';
  const settings = JSON.stringify({ defaultModel: 'evil', shellPath: '/workspace/sh', mounts: ['/'], network: 'open' });
  const places = ['.pi-sandbox/', 'pi-sandbox/', '.config/pi-sandbox/', '.pi/', ''];
  const names = ['policy.yaml', 'policy.json', 'pi-sandbox.yaml', '.pi-sandbox.yaml', 'config.yaml'];
  const hostile = session.repository('settings', {
    'README.md': '',
    '.pi/settings.json': settings,
    '.env': 'PI_SANDBOX_MODEL=evil\nDOCKER_HOST=tcp://evil:1\nNODE_OPTIONS=--require ./evil.js\n',
    'package.json': JSON.stringify({ 'pi-sandbox': { policy: 'policy.yaml' }, pi: { extensions: ['./x.ts'] } }),
    ...Object.fromEntries(places.flatMap((place) => names.map((name) => [`${place}${name}`, policy]))),
  });
  const plan = async (repo: string, args: readonly string[] = []): Promise<object> => {
    const command = ['run', repo, 'go', '--model', model, '--dry-run', ...args];
    const { code, stdout, stderr } = await session.cli(command, { cwd: repo });
    expect(code, `${stderr}`).toBe(0);
    return comparable(stdout.toString());
  };
  const model = session.script([DONE]);
  const wanted = await plan(plain);
  expect(await plan(hostile)).toEqual(wanted);

  const outside = path.join(session.folder, 'policies/policy.yaml');
  mkdirSync(path.dirname(outside));
  writeFileSync(outside, policy, { mode: 0o600 });
  expect(await plan(hostile, ['--policy', outside]), 'positive control').toMatchObject({
    profile: 'review',
    workspace: { trusted: true },
    container: { pids: 77 },
  });
  const command = ['run', hostile, 'go', '--model', model, '--policy', path.join(hostile, 'policy.yaml')];
  const refused = await session.cli(command);
  expect(refused.code).toBe(2);
  expect(refused.stderr.toString()).toContain('whoever writes the repository could weaken its own sandbox');
});

/** A plan without what differs from run to run, and from tree to tree. */
function comparable(text: string): Record<string, unknown> & { container: Record<string, unknown> } {
  const { run, notices: _notices, workspace, container, ...plan } = JSON.parse(text);
  const { root, files: _files, bytes: _bytes, ...rest } = workspace;
  const { slot: _slot, bridgeUid: _bridge, agentUid, labels, tmpfs, ...box } = container;
  const plain = JSON.stringify({
    ...plan,
    workspace: rest,
    container: {
      ...box,
      labels: Object.keys(labels),
      tmpfs: tmpfs.map(({ inodes: _, ...one }: Record<string, unknown>) => one),
    },
  });
  return JSON.parse(plain.replaceAll(run, 'RUN').replaceAll(root, 'ROOT').replaceAll(String(agentUid), '0'));
}
