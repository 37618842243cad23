import { existsSync, lstatSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { handedBack } from '../support/handed-back.ts';
import { textOf } from '../support/pi-records.ts';
import { bash, Session } from '../support/session.ts';
import { withoutRules } from '../support/without-rules.ts';

const session = new Session();
const DONE = { text: 'done' };
const SECRET = 'canary-beside-the-repository-4714';

test('links that the agent made lead nowhere in its next run either, in a copy or a mount (D44)', async () => {
  const home = path.join(session.folder, 'home');
  mkdirSync(path.join(home, '.ssh'), { recursive: true });
  writeFileSync(path.join(home, '.ssh/id_test'), SECRET);
  const root = session.repository('repo', { 'a.txt': 'a\n' });
  // One that the repository brings along, for a link of the agent to go through.
  symlinkSync(home, path.join(root, 'creds'));
  const links: Readonly<Record<string, string>> = {
    'key.pem': path.join(home, '.ssh/id_test'),
    up: '../home/.ssh/id_test',
    through: 'creds/.ssh/id_test',
    'AGENTS.md': path.join(home, '.ssh/id_test'),
  };
  const make = Object.entries(links).map(([name, target]) => `ln -s ${target} ${name}`);
  const rules = withoutRules(session.folder);
  const first = await session.run(root, [bash([...make, 'ln -s a.txt fine'].join('; ')), DONE], { args: rules });
  expect(first.code).toBe(0);
  const { set, list } = handedBack(session, first);
  expect(set.refused.map((refused) => refused.path).sort()).toEqual(Object.keys(links).sort());
  expect(list).toEqual(['add fine']);
  const applied = await session.cli(['apply', first.records[0]?.run ?? '', '--allow-risk', 'symlink']);
  expect(applied.code, `${applied.stderr}`).toBe(0);
  for (const name of Object.keys(links)) expect(existsSync(path.join(root, name)), name).toBe(false);
  expect(lstatSync(path.join(root, 'fine')).isSymbolicLink()).toBe(true);

  // Whoever takes them over by hand gets links again, and no contents.
  for (const [name, target] of Object.entries(links)) symlinkSync(target, path.join(root, name));
  const names = Object.keys(links).join(' ');
  for (const mode of [[], ['--workspace', 'mount', '--profile', 'review']]) {
    const next = await session.run(
      root,
      [bash(`cat fine; readlink ${names}; cat ${names} creds/.ssh/id_test 2>&1`), DONE],
      { args: [...rules, ...mode] },
    );
    expect(next.code, `${next.stderr}`).toBe(0);
    const text = textOf(next.records, 'call_1_1');
    expect(text).toContain(`a\n${Object.values(links).join('\n')}`);
    expect(text.match(/No such file|Permission denied/g)).toHaveLength(5);
    expect(next.stdout.toString()).not.toContain(SECRET);
    const plan = JSON.parse(readFileSync(path.join(session.runs, next.records[0]?.run ?? '', 'plan.json'), 'utf8'));
    const { bind, volume } = plan.container;
    expect({ bind, volume }).toEqual(mode.length === 0 ? {} : { bind: { source: root, target: '/workspace' } });
  }
  for (const name of Object.keys(links)) {
    expect(readFileSync(path.join(root, name), 'utf8'), 'positive control: on the host each leads there').toBe(SECRET);
  }
});
