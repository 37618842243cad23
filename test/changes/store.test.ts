import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { isPrefix } from '../../src/changes/apply/stage.ts';
import { ChangeStore } from '../../src/changes/store.ts';

const HASH = createHash('sha256').update('x').digest('hex');

function newStore(): ChangeStore {
  const folder = mkdtempSync(path.join(tmpdir(), 'store-'));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  return new ChangeStore(folder);
}

test('a pipe or a link where a file of the change set was is an error, and holds nobody up', () => {
  const store = newStore();
  store.writeBlob(HASH, Buffer.from('x'));
  expect(store.readBlob(HASH).toString()).toBe('x');
  for (const replace of [
    (place: string) => execFileSync('mkfifo', [place]),
    (place: string) => symlinkSync('/dev/zero', place),
  ]) {
    const [blob, set] = [store.blobPath(HASH), path.join(store.folder, 'changes.json')];
    for (const place of [blob, set]) {
      rmSync(place, { force: true });
      replace(place);
    }
    expect(() => store.readBlob(HASH)).toThrow(/cannot be read/);
    expect(() => store.load()).toThrow(/it is not a regular file/);
    const waiting = path.join(store.folder, 'waiting');
    writeFileSync(waiting, 'x');
    let ours = false;
    try {
      ours = isPrefix(Buffer.from(waiting), blob);
    } catch {
      // A link is not opened.
    }
    expect(ours).toBe(false);
  }
});
