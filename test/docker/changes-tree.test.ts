import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { type HandedBack, handedBack } from '../support/handed-back.ts';
import { LATIN1_NAME } from '../support/odd-tree.ts';
import { ofType, textOf } from '../support/pi-records.ts';
import { bash, call, type EndedRun, git, Session } from '../support/session.ts';
import { withoutRules } from '../support/without-rules.ts';

const session = new Session();
const ODD_NAMES = ['ä.txt', 'q"x', 'tab\tx', 'new\nline', ' lead', 'trail ', '-rf', 'a -> b', '{a}', '*'];
const LATIN1 = Buffer.from('caf\xe9 1\nline 2\n', 'latin1');
const BINARY = Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7) % 256));
const BIG_MB = 30;

/** A tree on which its owner has worked: one change is staged, one is not, a file is new and one is gone (D59). */
function dirtyRepository(): string {
  const root = session.repository('tree', {
    'README.md': 'one\ntwo\nthree\n',
    'src/edited.txt': 'old\n',
    'src/moved.txt': 'moved\n',
    'src/same.txt': 'same\n',
    'gone.txt': 'gone\n',
    'deleted-by-user.txt': 'x\n',
    'staged.txt': 'a\n',
    'run.sh': '#!/bin/sh\n',
    'latin1.txt': LATIN1,
    'image.png': BINARY,
    'odd/start': '',
    ...Object.fromEntries(ODD_NAMES.map((name) => [`odd/${name}`, 'odd\n'])),
  });
  writeFileSync(Buffer.concat([Buffer.from(`${root}/`), LATIN1_NAME]), 'named\n');
  writeFileSync(path.join(root, 'staged.txt'), 'a, staged\n');
  git(root, 'add', 'staged.txt');
  writeFileSync(path.join(root, 'README.md'), 'one, by the user\ntwo\nthree\n');
  writeFileSync(path.join(root, 'untracked.txt'), 'new\n');
  rmSync(path.join(root, 'deleted-by-user.txt'));
  return root;
}

/** Programs that would hide everything, wherever a search path, a start-up file or an option could bring them in (D60). */
const FAKES = `
mkdir -p ~/bin; printf '#!/bin/sh\\necho fake\\n' > ~/bin/tar; chmod +x ~/bin/tar
for name in git find bash chmod; do cp ~/bin/tar ~/bin/$name; done; cp ~/bin/tar ./tar; cp ~/bin/tar ./git
echo 'export PATH=~/bin:$PATH TAR_OPTIONS=--exclude=*; exit' | tee ~/.bashrc ~/.profile ~/.bash_profile > ~/.bash_env
PATH=~/bin:$PATH tar; TAR_OPTIONS=--exclude=* /bin/tar -c . | wc -c`;

/** Two that write in turn, on either side of a large file, and one that makes new files; none has a parent to end it. */
const WRITERS = `
for how in setsid nohup; do
  mkdir $how; cd $how; : > x; head -c ${BIG_MB / 2}000000 /dev/zero | tr '\\0' 'z' > big.txt; : > y
  $how bash -c 'trap "" TERM HUP INT; for ((n = 1; ; n++)); do echo $n >> x; echo $n >> y; : > stamp-$((n % 50)); done' >/dev/null 2>&1 </dev/null &
  cd ..
done; until [ -s setsid/y ] && [ -s nohup/y ]; do sleep 0.05; done; echo both write`;

describe('what an agent leaves behind', () => {
  let root: string;
  let run: EndedRun;
  let back: HandedBack;
  beforeAll(async () => {
    root = dirtyRepository();
    run = await session.run(
      root,
      [
        {
          tools: [
            call('edit', { path: 'README.md', edits: [{ oldText: 'three', newText: 'three, by the agent' }] }),
            call('write', { path: 'made/by-tool.txt', content: 'no newline at the end' }),
          ],
        },
        bash(
          'echo new > src/edited.txt; git mv src/moved.txt src/renamed.txt; rm gone.txt; chmod +x run.sh; : > empty; mkdir empty-folder',
          "sed -i 's/line 2/line two/' latin1.txt; printf '\\000\\377' >> image.png; for f in caf*; do echo more >> \"$f\"; done",
          'cd odd; for f in *; do [ "$f" = start ] || echo more >> "./$f"; done; mv -- -rf "-rf 2"',
          'ln -s src/same.txt inside; ln -s /etc/shadow shadow; ln -s ../../.. up; mkfifo pipe; python3 -c "import socket; socket.socket(socket.AF_UNIX).bind(\'sock\')"; ln src/same.txt hard; cp /bin/true setuid; chmod 4755 setuid; mkdir -m 000 shut; echo x > hidden; chmod 000 hidden',
        ),
        bash(
          'git add -A 2>/dev/null || git add src; git commit -qm one; echo staged > after-commit; git add after-commit; git stash -q; git checkout -q -b other; git stash pop -q; echo later >> src/edited.txt; git commit -qam two; git log --oneline | wc -l',
        ),
        bash(
          'rm -rf .git; git init -q; git add src; mkdir -p vendor/lib && cd vendor/lib && git init -q && echo x > code.c',
        ),
        bash(FAKES),
        bash(WRITERS),
        { text: 'done' },
      ],
      { args: withoutRules(session.folder) },
    );
    back = handedBack(session, run);
  });

  test('is taken out of a run that completes', () => {
    expect(run.code, run.stderr.toString()).toBe(0);
    expect(back.set).toMatchObject({ outcome: 'complete', reasons: [], root });
    expect(ofType(run.records, 'changes')).toMatchObject({ source: 'observed', digest: back.set.digest });
  });

  test('is start state against final files, whatever git inside says (D50, D51)', () => {
    expect(textOf(run.records, 'call_3_1')).toBe('3\n');
    expect(back.list).toEqual(
      expect.arrayContaining([
        'modify src/edited.txt',
        'delete src/moved.txt',
        'add src/renamed.txt',
        'delete gone.txt',
        'add empty',
        'add empty-folder',
        'add after-commit',
        'add made/by-tool.txt',
      ]),
    );
    expect(back.after('src/edited.txt').toString()).toBe('new\nlater\n');
    expect(back.after('made/by-tool.txt').toString()).toBe('no newline at the end');
    expect(back.after('empty')).toHaveLength(0);
    expect(back.change('src/renamed.txt').renamedFrom).toBe('src/moved.txt');
    expect(back.list.filter((line) => / \.git(\/|$)/.test(line))).toEqual([]);
  });

  test("is the agent's own work on a tree that its owner had changed (D59)", () => {
    expect(back.after('README.md').toString()).toBe('one, by the user\ntwo\nthree, by the agent\n');
    const { before } = back.change('README.md');
    const content = before?.type === 'file' ? back.store.readBlob(before.sha256).toString() : '';
    expect(content).toBe('one, by the user\ntwo\nthree\n');
    const touched = back.set.changes.map((change) => change.path);
    for (const name of ['staged.txt', 'untracked.txt', 'deleted-by-user.txt', 'src/same.txt']) {
      expect(touched).not.toContain(name);
    }
  });

  test('keeps every byte of contents and names (D45, D54, D56)', () => {
    const changed = Buffer.from(LATIN1.toString('latin1').replace('line 2', 'line two'), 'latin1');
    expect(back.after('latin1.txt')).toEqual(changed);
    expect(back.after('image.png')).toEqual(Buffer.concat([BINARY, Buffer.from([0, 255])]));
    expect(back.after('caf\\xe9.txt').toString()).toBe('named\nmore\n');
    for (const name of ['ä.txt', 'q"x', 'tab\\x09x', 'new\\x0aline', ' lead', 'trail ', 'a -> b', '{a}', '*']) {
      expect(back.after(`odd/${name}`).toString(), name).toBe('odd\nmore\n');
    }
    expect(back.change('odd/-rf 2')).toMatchObject({ kind: 'add' });
    expect(back.list).toContain('delete odd/-rf');
  });

  test('a changed mode is a change of the mode alone (D64)', () => {
    expect(back.change('run.sh')).toMatchObject({
      kind: 'mode',
      before: { executable: false },
      after: { executable: true },
    });
    expect(back.list.filter((line) => line.startsWith('mode'))).toEqual(['mode run.sh']);
  });

  test('what cannot be handed back is refused by name, and costs nothing else (D42, D44)', () => {
    const refused = Object.fromEntries(back.set.refused.map(({ path, reason }) => [path, reason]));
    expect(refused).toMatchObject({
      pipe: 'fifo',
      sock: 'socket',
      setuid: 'special-bits',
      shadow: 'outside',
      up: 'outside',
    });
    expect(Object.keys(refused).some((name) => name.startsWith('vendor/lib'))).toBe(true);
    expect(back.change('inside').after).toEqual({ type: 'symlink', target: 'src/same.txt' });
    expect(back.after('hard').toString()).toBe('same\n');
    expect(back.after('hidden').toString()).toBe('x\n');
    expect(back.change('shut').after).toEqual({ type: 'dir' });
  });

  test('no program, start-up file or option of the agent takes part (D60)', () => {
    // The control: in the hands of a shell that believes them, they do hide everything.
    expect(textOf(run.records, 'call_5_1')).toBe('fake\n10240\n');
    expect(back.after('tar').toString()).toBe('#!/bin/sh\necho fake\n');
  });

  test('everything has ended before it is read, also what ran on in the background (EX14)', () => {
    const last = (name: string): number => back.after(name).toString().split('\n').length - 1;
    expect(textOf(run.records, 'call_6_1')).toBe('both write\n');
    for (const folder of ['setsid/', 'nohup/']) {
      expect(last(`${folder}x`), folder).toBeGreaterThan(0);
      expect(last(`${folder}x`) - last(`${folder}y`), folder).toBeGreaterThanOrEqual(0);
      expect(last(`${folder}x`) - last(`${folder}y`), folder).toBeLessThanOrEqual(1);
    }
  });

  test('a large change comes whole (D62)', () => {
    for (const folder of ['setsid', 'nohup']) {
      expect(back.after(`${folder}/big.txt`)).toHaveLength((BIG_MB / 2) * 1_000_000);
    }
  });

  test('nothing of it reaches the repository, and only its owner can read what is kept', () => {
    expect(readFileSync(path.join(root, 'src/edited.txt'), 'utf8')).toBe('old\n');
    expect(existsSync(path.join(root, 'empty'))).toBe(false);
    expect(statSync(back.store.folder).mode & 0o777).toBe(0o700);
    for (const name of readdirSync(back.store.folder)) {
      expect(statSync(path.join(back.store.folder, name)).mode & 0o777, name).toBe(0o600);
    }
  });

  test('show and ls tell of it, and rm removes it', async () => {
    const id = run.records[0]?.run ?? '';
    const details = JSON.parse((await session.cli(['show', id, '--json'])).stdout.toString()) as { changes: unknown };
    expect(details.changes).toMatchObject({ outcome: 'complete', digest: back.set.digest });
    // All others came with something in them.
    const folders = ['empty-folder', 'shut'];
    const files = back.set.changes.filter(({ before, after }) => (after ?? before)?.type !== 'dir').length;
    const figures = { changed: files + folders.length, folders: folders.length };
    expect(details.changes).toMatchObject(figures);
    const stat = (await session.cli(['diff', id, '--stat'])).stdout.toString();
    expect(stat).toMatch(new RegExp(`^${figures.changed} paths changed`, 'm'));
    const text = `${files} files and ${folders.length} folders, ${back.set.refusedCount} refused`;
    expect((await session.cli(['show', id])).stdout.toString()).toMatch(
      new RegExp(`^Changes +${text} \\(.*digest`, 'm'),
    );
    expect((await session.cli(['ls'])).stdout.toString()).toContain(`  ${text} `);
    expect((await session.cli(['rm', id])).code).toBe(0);
    expect(existsSync(back.store.folder)).toBe(false);
  });
});
