import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { expect, test } from 'vitest';
import { wantedImage } from '../../src/cli/ensure-image.ts';
import { oldImages, oldRuns } from '../../src/cli/prunable.ts';
import { LABEL } from '../../src/protocol/labels.ts';
import { tempFolder } from '../support/cli.ts';

const { tag, version, fingerprint } = await wantedImage();
const UNNAMED = ['<none>:<none>'];
const CURRENT = { [LABEL.guest]: fingerprint, [LABEL.version]: version, [LABEL.stage]: 'final' };
const OLD = { ...CURRENT, [LABEL.guest]: 'another' };

test('a run whose folder cannot be read is offered with the size 0 and keeps no other back', async () => {
  const stateRoot = path.join(tempFolder(), 'pi-sandbox');
  const runs = path.join(stateRoot, 'runs');
  const [broken, whole] = ['20200101T000000-000001', '20200101T000000-000002'];
  mkdirSync(path.join(runs, whole), { recursive: true, mode: 0o700 });
  writeFileSync(path.join(runs, whole, 'events.jsonl'), 'x'.repeat(10));
  symlinkSync(path.join(runs, 'gone'), path.join(runs, broken));
  const found = await oldRuns(stateRoot, new Date());
  expect(found.map(({ name, bytes }) => [name, bytes])).toEqual([
    [broken, 0],
    [whole, 10],
  ]);
  await found[1]?.remove();
  expect((await oldRuns(stateRoot, new Date())).map(({ name }) => name)).toEqual([broken]);
});

/** An engine that holds these images, by id: their names and labels. */
async function offered(images: Readonly<Record<string, readonly [string[], Record<string, string>]>>) {
  const removed: string[] = [];
  const found = await oldImages({
    images: async (wanted) =>
      Object.entries(images)
        .map(([id, [tags, labels]]) => ({ id, tags, labels, created: 1_700_000_000, size: 7 }))
        .filter(({ labels }) => Object.keys(wanted).every((label) => label in labels)),
    removeImage: async (name) => void removed.push(name),
  });
  for (const { remove } of found) await remove();
  expect(removed).toEqual(found.map(({ name }) => name));
  return removed;
}

test('the image of this version stays, also one upon an image of the user', async () => {
  expect(await offered({ a: [[tag], CURRENT], b: [[`${tag}-from-python_3`], CURRENT] })).toEqual([]);
});

test('images of other versions go by each of their names', async () => {
  const older = { ...CURRENT, [LABEL.version]: '0.0.9' };
  expect(await offered({ a: [['pi-sandbox:1', 'mine:1'], OLD], b: [['pi-sandbox:2'], older] })).toEqual([
    'pi-sandbox:1',
    'mine:1',
    'pi-sandbox:2',
  ]);
});

test('an image that lost its name to a new build goes by its id, once, whatever version it is of', async () => {
  expect(await offered({ a: [UNNAMED, OLD], b: [UNNAMED, CURRENT], c: [[], CURRENT] })).toEqual(['a', 'b', 'c']);
});

test('stages that the builder keeps without a name go by their id', async () => {
  expect(await offered({ a: [UNNAMED, { [LABEL.stage]: 'tools' }] })).toEqual(['a']);
});

test('what is not labelled as ours is nobody’s business', async () => {
  expect(await offered({ a: [UNNAMED, {}], b: [['debian:13'], { [LABEL.base]: 'x' }] })).toEqual([]);
});
