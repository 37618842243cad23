import { existsSync, lstatSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { IGNORED_SECRET, oddTree, REMOVED_SECRET, SECRET } from '../support/odd-tree.ts';
import { endOf, ofType, textOf } from '../support/pi-records.ts';
import { bash, call, type EndedRun, Session } from '../support/session.ts';
import { withoutRules } from '../support/without-rules.ts';

const session = new Session();
const notices = ({ records }: EndedRun): string =>
  records.flatMap((record) => (record.type === 'notice' ? [String(record['message'])] : [])).join('\n');

describe('a copy of a repository', () => {
  let root: string;
  let run: EndedRun;
  beforeAll(async () => {
    root = await oddTree(session, 'odd');
    run = await session.run(root, [
      bash(
        'git log --format=%s; git log --all --oneline | wc -l; git status --porcelain',
        'cat README.md untracked.txt; ls -A',
        'readlink key creds shadow loop a b deep/up; cat key creds/id_test shadow a 2>&1',
        `grep -rlaE '${SECRET}|${IGNORED_SECRET}|${REMOVED_SECRET}' /workspace /home /tmp 2>/dev/null; git log -p --all | grep -c canary; echo searched`,
        'ls /tmp; ls -A .git/hooks; cat .git/config; git config --list --show-scope',
      ),
      bash('for f in caf*; do echo more >> "$f"; done; git diff --stat; git status --porcelain'),
      { tools: [call('edit', { path: 'src/main.c', edits: [{ oldText: 'return 0', newText: 'return 1' }] })] },
      bash(
        'git diff -U0 src/main.c; git add -A && git commit -q -m "by the agent" && git log --format=%s; git status --porcelain',
      ),
      { text: 'done' },
    ]);
  });

  test('is a repository of one commit with nothing to commit, whatever the state outside', () => {
    expect(run.code).toBe(0);
    expect(textOf(run.records, 'call_1_1')).toBe('Start state\n1\n');
    expect(textOf(run.records, 'call_1_2')).toMatch(/^changed, not committed\nnew\n/);
  });

  test('takes diffs and commits of the agent', () => {
    expect(textOf(run.records, 'call_4_1')).toContain('+int main(void) { return 1; }');
    expect(textOf(run.records, 'call_4_1')).toMatch(/by the agent\nStart state\n$/);
  });

  test('holds no ignored file, nothing of .git, .pi and .agents, and says what stays out (D12, D13, D48)', () => {
    const names = textOf(run.records, 'call_1_2').split('\n');
    for (const name of ['.env', 'server.pem', '.npmrc', 'build', '.pi', '.agents']) expect(names).not.toContain(name);
    expect(names).toContain('.gitignore');
    expect(textOf(run.records, 'call_1_4')).toBe('0\nsearched\n');
    expect(textOf(run.records, 'call_1_5')).not.toMatch(/PWNED|core\.fsmonitor/);
    expect(notices(run)).toMatch(/ignored by git \(--include GLOB brings them\): \.env, /);
    expect(notices(run)).toMatch(/files of pi .*: .*\.pi\/extensions\/x\.ts/);
  });

  test('holds what --include names, and no more', async () => {
    const included = await session.run(root, [bash('ls -A; cat .env'), { expect: IGNORED_SECRET, text: 'done' }], {
      args: ['--include', '.env', ...withoutRules(session.folder)],
    });
    expect(included.code).toBe(0);
    const names = textOf(included.records, 'call_1_1').split('\n');
    expect(names).toContain('.env');
    for (const name of ['server.pem', 'build', '.pi', '.agents']) expect(names).not.toContain(name);
  });

  test('leaves pipes, sockets and devices out, and names them (D42)', () => {
    expect(notices(run)).toContain('named pipes: aa-fifo.');
    expect(notices(run)).toContain('sockets: dead.sock, zz.sock.');
    if (process.getuid?.() === 0) expect(notices(run)).toContain('devices: device.');
    expect(textOf(run.records, 'call_1_2')).not.toMatch(/aa-fifo|\.sock|^device$/m);
  });

  test('keeps links as links, loops too, and their targets on the host stay out of reach (D44, D46)', () => {
    const text = textOf(run.records, 'call_1_3');
    expect(text.split('\n').slice(0, 7)).toEqual([
      path.join(session.folder, 'odd-home/id_test'),
      path.join(session.folder, 'odd-home'),
      '/etc/shadow',
      '.',
      'b',
      'a',
      '../..',
    ]);
    expect(text).not.toContain(SECRET);
    expect(text).not.toContain('root:');
    expect(text.match(/No such file|Permission denied|Too many levels/g)).toHaveLength(4);
    expect(readFileSync(path.join(root, 'key'), 'utf8')).toBe(SECRET);
  });

  test('keeps a name that is not UTF-8, which the agent can change (D45)', () => {
    expect(textOf(run.records, 'call_2_1')).toContain('"caf\\351.txt"');
    expect(textOf(run.records, 'call_2_1')).toContain('1 insertion(+)');
  });

  test('says which names fall together where case does not count (D47)', () => {
    expect(notices(run)).toMatch(/README\.md.*readme\.md|readme\.md.*README\.md/);
  });

  test('runs nothing of the repository on the host', () => {
    expect(existsSync(path.join(session.folder, 'fsmonitor-ran'))).toBe(false);
  });
});

describe('files that change during the copy', () => {
  test('are named, and what is in the container is one clean state (D43)', async () => {
    const MB = 1_000_000;
    const root = session.repository('moving', { 'a.txt': 'a\n' });
    const script = [
      `head -c ${80 * MB} /dev/zero > grows.log`,
      `head -c ${80 * MB} /dev/zero > shrinks.log`,
      'echo ready',
      'while :; do date >> grows.log; done & while :; do : > shrinks.log; head -c 8000000 /dev/zero > shrinks.log; done &',
      'while :; do rm -f comes-and-goes; echo x > comes-and-goes; done',
    ].join('\n');
    const busy = session.program('bash', ['-c', script], { cwd: root });
    await busy.until('ready');
    try {
      const run = await session.run(root, [
        bash('git status --porcelain; git log --oneline | wc -l; stat -c %n *'),
        { text: 'done' },
      ]);
      expect(run.code).toBe(0);
      expect(notices(run)).toMatch(/changed while they were copied.*grows\.log \(grew\)/);
      expect(textOf(run.records, 'call_1_1')).toMatch(/^1\n/);
      const { changed } = ofType(run.records, 'imported') as unknown as { changed: { path: string }[] };
      expect(changed.map((file) => file.path)).toContain('grows.log');
    } finally {
      busy.kill();
    }
  });
});

describe('odd paths of a workspace (D66)', () => {
  test.each(['a:b', 'a,b', 'a b', 'ä', '-x'])('%s works as a copy and as a mount', async (name) => {
    const root = session.repository(name, { 'file.txt': `in ${name}\n` });
    for (const mode of ['copy', 'mount']) {
      const run = await session.run(root, [bash('cat file.txt'), { expect: `in ${name}`, text: 'done' }], {
        args: ['--workspace', mode],
      });
      expect(run.code, `${mode}: ${run.stderr}`).toBe(0);
      expect(endOf(run.records, 'call_1_1').isError).toBe(false);
    }
  });
});

describe('a user who is not root (D65)', () => {
  test('owns every file that a run leaves on the host', async () => {
    const folder = path.join(session.folder, 'of-1234');
    const root = session.repository('of-root', { 'a.txt': 'a\n' });
    const uid = process.getuid?.() === 0 ? 1234 : (process.getuid?.() ?? 0);
    const run = await session.runAs(
      uid,
      folder,
      root,
      [bash('seq 1 60000; echo x > b.txt'), { text: 'done' }],
      ['--keep-outputs'],
    );
    expect(run.stderr.toString()).toBe('');
    expect(run.code).toBe(0);
    const found = readdirSync(folder, { recursive: true, withFileTypes: true });
    const files = found.map((entry) => path.join(entry.parentPath, entry.name));
    expect(files.filter((file) => /events\.jsonl|outputs\/|plan\.json/.test(file)).length).toBeGreaterThanOrEqual(3);
    for (const file of files) expect(lstatSync(file).uid, file).toBe(uid);
  });
});
