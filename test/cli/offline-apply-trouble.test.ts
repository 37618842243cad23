import { execFileSync } from 'node:child_process';
import { chownSync, existsSync, mkdtempSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { ChangeStore } from '../../src/changes/store.ts';
import { applyingIn } from '../support/applying.ts';
import { END, START } from '../support/change-samples.ts';
import { tempFolder } from '../support/cli.ts';
import { cutApply } from '../support/cut-apply.ts';
import { silentSocket } from '../support/offline.ts';
import { RUN, runWithChanges } from '../support/run-with-changes.ts';

describe('an apply that was cut off', () => {
  async function cutOff() {
    const made = runWithChanges(START, END);
    const before = made.tree();
    const parts = { root: made.repo, runFolder: made.folder, set: made.set, store: new ChangeStore(made.changes) };
    await cutApply(applyingIn(parts), (steps) => ({ staged: steps, made: steps - 3 }));
    expect(made.tree()).not.toEqual(before);
    return { ...made, before, journal: path.join(made.folder, 'apply.journal') };
  }

  test.each([['ls'], ['show', RUN], ['diff', RUN, '--stat'], ['discard', RUN], ['rm', RUN]])(
    'is undone by the next command, %s',
    async (...args) => {
      const { run, tree, before, journal, repo } = await cutOff();
      const next = await run(args);
      expect(next.stderr).toContain(`Run ${RUN}: an apply to ${repo} was cut off; all is as it was before.`);
      expect(next.code).toBe(0);
      expect(tree()).toEqual(before);
      expect(existsSync(journal)).toBe(false);
    },
  );

  test('is made whole by the same apply again', async () => {
    const { run, repo } = await cutOff();
    expect(await run(['apply', RUN])).toMatchObject({ code: 0 });
    expect(existsSync(path.join(repo, 'new/deep/z'))).toBe(true);
  });

  test('that cannot be undone keeps its run, and with it the record of what was moved aside', async () => {
    const { run, repo, journal } = await cutOff();
    renameSync(repo, `${repo}-moved`);
    for (const command of ['rm', 'discard']) {
      expect(await run([command, RUN])).toMatchObject({ code: 6, stderr: expect.stringContaining('was cut off') });
    }
    expect((await run(['prune', '--older-than', '0s', '--yes'])).stderr).toContain('Nothing to remove');
    expect(existsSync(journal)).toBe(true);
    expect(await run(['rm', RUN, '--force'])).toMatchObject({ code: 0 });
    expect(existsSync(journal)).toBe(false);
  });

  test('is left alone while it may still be at work', async () => {
    const { run, tree, home, journal } = await cutOff();
    const half = tree();
    await silentSocket(path.join(home, 'pi-sandbox/apply-0123456789ab.owner'));
    expect(await run(['ls'])).toMatchObject({ code: 0, stderr: '' });
    expect(tree()).toEqual(half);
    expect(existsSync(journal)).toBe(true);
  });
});

test.skipIf(process.geteuid?.() !== 0)(
  'a file of somebody else is replaced where the folder allows it, and it is said',
  async () => {
    const { run, repo, home } = runWithChanges({ a: '1', b: '1' }, { a: '2', b: '2' });
    const [me, other] = [4242, 4243];
    execFileSync('chown', ['-R', `${me}:${me}`, home, path.dirname(repo)]);
    chownSync(path.join(repo, 'b'), other, other);
    const via = ['setpriv', `--reuid=${me}`, `--regid=${me}`, '--clear-groups', '--'];
    const { code, stdout, stderr } = await run(['apply', RUN], { via, env: { HOME: home } });
    expect({ code, stdout }, stderr).toEqual({ code: 0, stdout: 'a\nb\n' });
    expect(stderr).toContain('b: its owner could not be kept; it belongs to you now.');
    expect(stderr).not.toContain('a: its owner');
    const owners = ['a', 'b'].map((name) => statSync(path.join(repo, name)).uid);
    expect(owners).toEqual([me, me]);
  },
);

/** Root alone is not enough: in a container mounting is usually refused. */
function canMount(): boolean {
  const probe = mkdtempSync(path.join(tmpdir(), 'ps-'));
  try {
    execFileSync('/bin/mount', ['-t', 'tmpfs', 'tmpfs', probe], { stdio: 'ignore' });
    execFileSync('/bin/umount', [probe]);
    return true;
  } catch {
    return false;
  } finally {
    rmSync(probe, { recursive: true });
  }
}

describe.skipIf(!canMount())('a target (needs the right to mount one)', () => {
  function disk(): string {
    const folder = tempFolder();
    execFileSync('/bin/mount', ['-t', 'tmpfs', '-o', 'size=1m', 'tmpfs', folder]);
    onTestFinished(() => void execFileSync('/bin/umount', [folder]));
    return folder;
  }

  test('that becomes full stays as it was, and the change set is kept (D63)', async () => {
    const repo = disk();
    const { run, tree, changes } = runWithChanges({ a: '1', b: '1' }, { a: '2', b: 'x'.repeat(400_000) }, { repo });
    writeFileSync(path.join(repo, 'ballast'), Buffer.alloc(700_000));
    const before = tree();
    const refused = await run(['apply', RUN]);
    expect(refused).toMatchObject({ code: 6 });
    expect(refused.stderr).toMatch(
      /because of b in .*: the disk is full\. Everything is as it was before\. The change set is kept/,
    );
    expect(tree()).toEqual(before);
    rmSync(path.join(repo, 'ballast'));
    expect(existsSync(path.join(changes, 'changes.json'))).toBe(true);
    expect(await run(['apply', RUN])).toMatchObject({ code: 0 });
  });

  test('that is read-only stays as it was, and every path is named (D63)', async () => {
    const repo = disk();
    const { run, tree } = runWithChanges({ a: '1' }, { a: '2', n: 'n' }, { repo });
    execFileSync('/bin/mount', ['-o', 'remount,ro', repo]);
    const before = tree();
    const refused = await run(['apply', RUN]);
    expect(refused).toMatchObject({
      code: 6,
      stderr: expect.stringContaining('a is in a folder that you cannot write to'),
    });
    expect(tree()).toEqual(before);
  });
});
