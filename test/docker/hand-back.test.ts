import { mkdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { MiB } from '../../src/lib/bytes.ts';
import { testEngine } from '../support/engine.ts';
import { listing } from '../support/listing.ts';
import { bash, git, Session, type Turn } from '../support/session.ts';

const session = new Session();
const AS_ME = ['-c', 'user.name=t', '-c', 'user.email=t@t'];
const LINES = ['one', 'two', 'three', 'four', 'five', ''].join('\n');

/** A repository on which its owner works, with a submodule and another repository inside. */
function busyRepository(): string {
  const library = session.repository('library', { 'code.c': LINES });
  const root = session.repository('busy', {
    'a.txt': LINES,
    'gone.txt': 'x',
    'staged.txt': '1',
    '.gitignore': '*.log',
  });
  git(root, '-c', 'protocol.file.allow=always', ...AS_ME, 'submodule', '--quiet', 'add', library, 'lib/x');
  git(root, ...AS_ME, 'commit', '-qm', 'submodule');
  mkdirSync(path.join(root, 'services/a'), { recursive: true });
  git(path.join(root, 'services/a'), 'init', '-q');
  writeFileSync(path.join(root, 'services/a/main.c'), LINES);
  writeFileSync(path.join(root, 'staged.txt'), '2');
  git(root, 'add', 'staged.txt');
  writeFileSync(path.join(root, 'a.txt'), LINES.replace('one', 'mine'));
  writeFileSync(path.join(root, 'new.txt'), 'mine');
  rmSync(path.join(root, 'gone.txt'));
  return root;
}

const run = async (root: string, turns: readonly Turn[], ...args: readonly string[]) => {
  const model = session.script(turns);
  const { code, stdout, stderr } = await session.cli(['run', '--repo', root, '--model', model, ...args, 'go']);
  return { code, text: `${stdout}${stderr}` };
};
/** More than fits into memory, so that the workspace is on a disk. */
const onDisk = async () => ['--disk', String(Math.ceil((await testEngine()).facts.memory / 2) + MiB)];
const inFolder = async (cwd: string, ...args: readonly string[]) => {
  const { code, stdout, stderr } = await session.cli(args, { cwd });
  return { code, stdout: stdout.toString(), stderr: stderr.toString() };
};

test('a run is handed back to the tree of its owner, and so is the next one (D37, D38, D50, D59)', async () => {
  const root = busyRepository();
  const cli = (...args: string[]) => inFolder(root, ...args);
  const gits = ['.git', 'services/a/.git'].map((name) => path.join(root, name));
  const before = gits.map((folder) => listing(folder));
  const edit = "for f in a.txt lib/x/code.c services/a/main.c; do sed -i 's/three/agent/' $f; done";
  const first = await run(root, [bash(`${edit}; echo x > run.sh; chmod +x run.sh; echo x > x.log`), { text: 'done' }]);
  expect(first.code, first.text).toBe(0);
  expect(first.text).toMatch(/^1 new entry is left out by ignore rules/m);
  expect(first.text).toMatch(/^4 files changed, 1 needs your eye: pi-sandbox diff (\S+), pi-sandbox apply \1$/m);

  const looked = await cli('diff', 'last');
  expect(looked.stdout.indexOf('executable-bit')).toBeLessThan(looked.stdout.indexOf('a.txt  modified'));
  const refused = await cli('apply', 'last');
  expect(refused).toMatchObject({ code: 6, stderr: expect.stringContaining('--allow-risk executable-bit') });
  expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toContain('three');
  const applied = await cli('apply', 'last', '--allow-risk', 'executable-bit');
  expect(applied).toMatchObject({ code: 0, stdout: 'a.txt\nlib/x/code.c\nrun.sh\nservices/a/main.c\n' });
  const mine = LINES.replace('one', 'mine').replace('three', 'agent');
  expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe(mine);
  expect(statSync(path.join(root, 'run.sh')).mode & 0o111).not.toBe(0);

  const second = await run(root, [bash("sed -i 's/five/again/' a.txt; rm run.sh"), { text: 'done' }]);
  expect(second.text).toMatch(/^2 files changed: pi-sandbox diff/m);
  expect(await cli('apply', 'last')).toMatchObject({ code: 0, stdout: 'a.txt\nrun.sh\n' });
  expect(readFileSync(path.join(root, 'a.txt'), 'utf8')).toBe(mine.replace('five', 'again'));
  expect(gits.map((folder) => listing(folder))).toEqual(before);
  expect(git(root, 'diff', '--cached', '--name-status')).toBe('M\tstaged.txt\n');
  expect(await cli('discard', 'last')).toMatchObject({ code: 0 });
  expect(await cli('apply', 'last')).toMatchObject({ code: 5, stderr: expect.stringContaining('discarded') });
});

test('the commands that a run names are about that run, wherever one stands', async () => {
  const [one, two] = ['one', 'two'].map((name) => session.repository(name, { 'a.txt': LINES })) as [string, string];
  const turns = [bash('echo x >> a.txt'), { text: 'done' }];
  await session.run(two, turns);
  const model = session.script(turns);
  for (const cwd of [two, session.folder, one]) {
    const { stderr } = await inFolder(cwd, 'run', '--repo', one, '--model', model, 'go');
    const [, ref = ''] = /pi-sandbox diff (\S+), /.exec(stderr) ?? [];
    expect(ref === 'last', cwd).toBe(cwd !== two);
    expect((await inFolder(cwd, 'diff', ref)).stdout, cwd).toContain(`of ${one}: 1 change`);
  }
  expect((await inFolder(two, 'diff', 'last')).stdout, 'control: there it is another').toContain(`of ${two}: `);
});

test('a run that failed stays one that failed when nothing can be taken out', async () => {
  const root = session.repository('lost', { 'a.txt': LINES });
  const turns = [bash('cd /volume; mv workspace away; ln -s /etc workspace'), { expect: 'something else', text: 'no' }];
  const { code, text } = await run(root, turns, ...(await onDisk()));
  expect(code, text).toBe(1);
  expect(text).toMatch(/^no change set: /m);
});
