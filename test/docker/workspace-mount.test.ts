import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { IGNORED_SECRET, oddTree, SECRET } from '../support/odd-tree.ts';
import { ofType, textOf } from '../support/pi-records.ts';
import { bash, type EndedRun, git, Session } from '../support/session.ts';

const session = new Session();
const isRoot = process.getuid?.() === 0;
const MOUNT = ['--workspace', 'mount', '--profile', 'review'];
const notices = ({ records }: EndedRun): string =>
  records.flatMap((record) => (record.type === 'notice' ? [String(record['message'])] : [])).join('\n');

describe('a mounted repository', () => {
  let root: string;
  let run: EndedRun;
  let before: string;
  beforeAll(async () => {
    root = await oddTree(session, 'odd');
    // Whom it belongs to and who may write must not be what protects it.
    chmodSync(path.join(root, 'README.md'), 0o666);
    if (isRoot) execFileSync('chown', ['-R', '4242:4242', root]);
    before = listing(root);
    run = await session.run(
      root,
      [
        bash(
          'git status --porcelain; git log --format=%s',
          // One stream: pi merges two in the order in which they come.
          'exec 2>&1; touch new; echo x >> README.md; rm README.md; mkdir d; chmod 777 README.md; ln -s x y; mv README.md z; echo tried; touch /tmp/control && echo control',
          'ls -A; ls -A .pi .agents; cat build/out',
          'readlink key creds shadow loop; cat key creds/id_test shadow 2>&1',
          'git config --system --get-all safe.directory; git config --global --list 2>/dev/null; echo end',
          'cat README.md src/main.c; ls caf*',
        ),
        { text: 'done' },
      ],
      { args: MOUNT },
    );
  });

  test('can be looked at by git though another user owns it; only the places of a workspace are exempt (D35)', () => {
    expect(run.code).toBe(0);
    expect(textOf(run.records, 'call_1_1')).toContain(' M README.md');
    expect(textOf(run.records, 'call_1_1')).toContain('remove the secret');
    const exempt = textOf(run.records, 'call_1_5').split('\nend')[0]?.split('\n') ?? [];
    expect(exempt.length).toBeGreaterThan(0);
    for (const place of exempt) expect(place).toMatch(/^\/(volume\/)?workspace$/);
  });

  test('cannot be changed in any way', () => {
    const text = textOf(run.records, 'call_1_2');
    expect(text.match(/Read-only file system/g)).toHaveLength(7);
    expect(text).toContain('tried\ncontrol\n');
    expect(listing(root)).toBe(before);
  });

  test('shows pi nothing of .pi and .agents (D13)', () => {
    expect(textOf(run.records, 'call_1_3')).toContain('.agents:\n\n.pi:\n');
    expect(readdirSync(path.join(root, '.pi'))).not.toEqual([]);
  });

  test('shows ignored files, and the start says so by name (D48)', () => {
    expect(textOf(run.records, 'call_1_3')).toContain(IGNORED_SECRET);
    const said = /The mount shows the agent (\d+) paths that a copy would leave out, (.*) among them/.exec(
      notices(run),
    );
    expect(Number(said?.[1])).toBeGreaterThanOrEqual(4);
    expect(said?.[2]).toContain('.env');
    expect(said?.[2]).toContain('server.pem');
  });

  test('keeps links as links, and their targets on the host stay out of reach (D44)', () => {
    const text = textOf(run.records, 'call_1_4');
    expect(text.split('\n')[0]).toBe(path.join(session.folder, 'odd-home/id_test'));
    expect(text).not.toContain(SECRET);
    expect(text.match(/No such file|Permission denied/g)).toHaveLength(3);
    expect(readFileSync(path.join(root, 'key'), 'utf8')).toBe(SECRET);
    const plan = JSON.parse(
      readFileSync(path.join(session.runs, ofType(run.records, 'outcome').run, 'plan.json'), 'utf8'),
    );
    expect(plan.container.bind).toEqual({ source: root, target: '/workspace' });
  });

  test('is there as it is on the host, odd names too (D45)', () => {
    expect(textOf(run.records, 'call_1_6')).toContain('changed, not committed\nint main(void)');
    expect(textOf(run.records, 'call_1_6')).toContain('caf');
  });
});

describe('a mount that cannot work is refused', () => {
  test('when the folder is closed to others, in words that say so', async () => {
    const root = session.repository('closed', { 'a.txt': 'a\n' });
    chmodSync(root, 0o700);
    const run = await session.run(root, [{ text: 'never' }], { args: MOUNT });
    expect(run.code).toBe(5);
    expect(ofType(run.records, 'outcome')['reason']).toMatch(/could not be brought into the container/);
    expect(ofType(run.records, 'outcome')['reason']).toMatch(/readable for other users/);
    expect(run.records.filter(({ type }) => type === 'gateway.request')).toEqual([]);
    chmodSync(root, 0o755);
    expect((await session.run(root, [{ text: 'done' }], { args: MOUNT })).code).toBe(0);
  });

  // Needs root: mounting is its privilege. The check itself is tested without it in test/workspace/mount.test.ts.
  test.runIf(isRoot)(
    'when another file system is mounted writable inside, by its name; a copy leaves it out (D67)',
    async () => {
      const root = session.repository('with-mount', { 'a.txt': 'a\n' });
      const data = path.join(root, 'data');
      mkdirSync(data);
      execFileSync('mount', ['-t', 'tmpfs', 'none', data]);
      onTestFinished(() => void execFileSync('umount', [data]));
      writeFileSync(path.join(data, 'inside'), 'x');
      const refused = await session.run(root, [{ text: 'never' }], { args: MOUNT });
      expect(refused.code).toBe(2);
      expect(refused.records).toEqual([]);
      expect(refused.stderr.toString()).toContain(data);
      const copied = await session.run(root, [bash('ls -A; ls -A data; echo looked'), { text: 'done' }]);
      expect(copied.code).toBe(0);
      expect(textOf(copied.records, 'call_1_1')).not.toContain('inside');
      expect(notices(copied)).toContain('other file systems: data/.');
      execFileSync('mount', ['-o', 'remount,ro', data]);
      const readOnly = await session.run(
        root,
        [bash('touch data/y'), { expect: 'Read-only file system', text: 'done' }],
        { args: MOUNT },
      );
      expect(readOnly.code).toBe(0);
    },
  );
});

/** Everything below a folder with mode, size and time of change. */
function listing(root: string): string {
  return execFileSync('find', [root, '-printf', '%P %m %s %U %T@\\n'], { encoding: 'latin1' }) + git(root, '--version');
}
