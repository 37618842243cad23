import { mkdirSync } from 'node:fs';
import path from 'node:path';
import type { Writable } from 'node:stream';
import fc from 'fast-check';
import { expect, onTestFinished, test } from 'vitest';
import { collectChanges } from '../../src/changes/collect.ts';
import { MAX_DEPTH } from '../../src/changes/limits.ts';
import { readFrom } from '../../src/changes/start-content.ts';
import { ChangeStore } from '../../src/changes/store.ts';
import { demux } from '../../src/container/demux.ts';
import type { Engine } from '../../src/container/engine.ts';
import { execExit } from '../../src/container/exec-exit.ts';
import { exportTree } from '../../src/container/export-tree.ts';
import { openWire } from '../../src/container/wire.ts';
import { parsePath } from '../../src/lib/path-bytes.ts';
import { containerSpec } from '../../src/plan/container-spec.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import { type ManifestEntry, manifestKey } from '../../src/protocol/manifest.ts';
import { packSelection } from '../../src/workspace/pack.ts';
import type { Selection } from '../../src/workspace/selection.ts';
import { applyingIn } from '../support/applying.ts';
import { tempFolder } from '../support/cli.ts';
import { described, found, plant } from '../support/disk-trees.ts';
import { removedAfterwards, testContainerPlan, testEngine } from '../support/engine.ts';
import { archiveOf, edited, edits, manifestOf, type Tree, tree } from '../support/trees.ts';

const RUNS = 50;
const EMPTY_AND_UNPACK = `
/usr/bin/find ${GUEST.workspace} -mindepth 1 -delete && exec /bin/tar -x -p -f - -C ${GUEST.workspace}`;

let engine: Engine;
const removed = removedAfterwards(() => engine);
const covers = (refused: string, key: string): boolean => key === refused || key.startsWith(`${refused}/`);

test('through a real container, what is applied equals what was left there, but for what is refused by name', {
  timeout: 120_000,
}, async () => {
  engine = await testEngine();
  const plan = await testContainerPlan();
  const container = removed(await engine.create(containerSpec(plan)));
  const attached = await engine.attach(container);
  await engine.start(container);
  // The bridge ends a container from which nobody hears, after less time than this test may take.
  const wire = openWire({
    ...{ fromGuest: demux(attached).stdout, toGuest: attached },
    ...{ onGateway: (stream) => stream.destroy(), onRefused: () => {} },
  });
  onTestFinished(() => wire.close());
  const uid = plan.agentUid;
  const inside = { engine, container, uid };
  let [count, changed] = [0, 0];
  await fc.assert(
    fc.asyncProperty(tree, edits, async (start, all) => {
      const end = edited(start, all);
      const home = tempFolder();
      const [root, runFolder] = [path.join(home, 'repo'), path.join(home, 'run')];
      for (const one of [root, path.join(runFolder, 'changes')]) mkdirSync(one, { recursive: true });
      plant(root, start);
      const before = found(root);
      const sent = new Map<string, ManifestEntry>();
      await replaceWith(inside, async (stdin) => {
        const onEntry = (entry: ManifestEntry) => void sent.set(manifestKey(entry.path), entry);
        await packSelection(selectionOf(root, start), stdin, { uid, gid: uid, onEntry });
      });
      expect([...sent.keys()].sort()).toEqual([...start.keys()].sort());
      await replaceWith(inside, async (stdin) => void stdin.write(archiveOf(end)));

      const store = new ChangeStore(path.join(runFolder, 'changes'));
      const { archive, exit, close } = await exportTree({ ...inside, path: GUEST.workspace, maxParts: MAX_DEPTH + 1 });
      const readStart = readFrom(root);
      const set = await collectChanges({ archive, exit, start: sent, readStart, store, run: 'r', root });
      close();
      expect(set).toMatchObject({ outcome: 'complete', reasons: [] });
      const { conflicts, notes } = await applyingIn({ root, runFolder, set, store }).apply();
      expect([conflicts, notes]).toEqual([[], []]);

      const refused = set.refused.map((one) => parsePath(one.path).toString('latin1'));
      const [is, wanted] = [found(root), described(end)];
      for (const key of new Set([...is.keys(), ...wanted.keys()])) {
        if (refused.some((at) => covers(at, key))) expect(is.get(key), key).toEqual(before.get(key));
        else if (!refused.some((at) => covers(key, at))) expect(is.get(key), key).toEqual(wanted.get(key));
      }
      count += 1;
      changed += set.changes.length;
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
  expect(count).toBe(RUNS);
  expect(changed).toBeGreaterThan(2 * RUNS);
});

function selectionOf(root: string, all: Tree): Selection {
  const entries = [...manifestOf(all).values()]
    .sort((a, b) => Buffer.compare(a.path, b.path))
    .map(({ path: at, type, mode, size, target }) => ({ path: at, type, mode, size, mtime: 0, target }));
  const files = entries.filter(({ type }) => type === 'file').length;
  const leftOut = { counts: {}, list: [] };
  return { root, entries, files, bytes: 0, leftOut, contextFiles: [], piFolders: [], vcs: 'none', notices: [] };
}

/** Empties the workspace and unpacks an archive there, as the agent's user. */
async function replaceWith(
  inside: { engine: Engine; container: string; uid: number },
  send: (stdin: Writable) => Promise<void>,
): Promise<void> {
  const exec = await inside.engine.createExec(inside.container, {
    user: `${inside.uid}:${inside.uid}`,
    workingDir: '/',
    env: ['LC_ALL=C'],
    cmd: ['/bin/bash', '-c', EMPTY_AND_UNPACK],
    stdin: true,
  });
  const stdin = await inside.engine.startExec(exec, true);
  const { stdout, stderr, done } = demux(stdin);
  stdout.resume();
  let said = '';
  stderr.on('data', (bytes) => (said += bytes));
  await send(stdin);
  stdin.end();
  await done;
  expect([await execExit(inside.engine, exec), said]).toEqual([0, '']);
}
