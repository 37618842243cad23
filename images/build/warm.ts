import { chmodSync, chownSync, mkdirSync, readdirSync, renameSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { GUEST, SLOT_COUNT, uidPair } from '../../src/protocol/guest.ts';
import { fail } from './fail.ts';
import { type FakeCall, fakeModel } from './fake-model.ts';
import { runPi } from './pi-process.ts';

/** A red pixel, so that pi's image code is warmed too. */
const PIXEL = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg==';

const FIRST: FakeCall = {
  name: 'bash',
  arguments: {
    command: `mkdir sub && echo needle > sub/a.txt && echo ${PIXEL} | base64 -d > p.png && seq 3000`,
    timeout: 20,
  },
};
const REST: FakeCall[] = [
  { name: 'write', arguments: { path: 'w.txt', content: 'one\n' } },
  { name: 'ls', arguments: {} },
  { name: 'grep', arguments: { pattern: 'needle', path: '.' } },
  { name: 'find', arguments: { pattern: '*.txt' } },
  { name: 'read', arguments: { path: 'sub/a.txt' } },
  { name: 'read', arguments: { path: 'p.png' } },
  { name: 'edit', arguments: { path: 'sub/a.txt', edits: [{ oldText: 'needle', newText: 'thread' }] } },
];

/**
 * Lets pi run once with every tool as the first agent user, which fills Node's compile cache; then makes that cache
 * read-only and valid for every agent user: Node keeps one folder per user id, so each of the others is a link.
 */
export async function warmCompileCache(): Promise<void> {
  const { agent } = uidPair(0);
  mkdirSync(GUEST.compileCache, { mode: 0o755 });
  chownSync(GUEST.compileCache, agent, agent);
  await useEveryTool(agent);

  const [folder, ...others] = readdirSync(GUEST.compileCache);
  if (folder === undefined || others.length > 0 || !folder.endsWith(`-${agent}`)) {
    fail(
      `Node named its compile cache ${[folder, ...others].join(', ')}, not one folder that ends in the user id ${agent}`,
    );
  }
  const stem = folder.slice(0, -String(agent).length - 1);
  renameSync(join(GUEST.compileCache, folder), join(GUEST.compileCache, stem));
  for (let slot = 0; slot < SLOT_COUNT; slot += 1) {
    symlinkSync(stem, join(GUEST.compileCache, `${stem}-${uidPair(slot).agent}`));
  }
  chownSync(GUEST.compileCache, 0, 0);
  for (const entry of readdirSync(join(GUEST.compileCache, stem), { recursive: true, encoding: 'utf8' })) {
    chownSync(join(GUEST.compileCache, stem, entry), 0, 0);
    chmodSync(join(GUEST.compileCache, stem, entry), 0o644);
  }
  chownSync(join(GUEST.compileCache, stem), 0, 0);
  chmodSync(join(GUEST.compileCache, stem), 0o755);
}

async function useEveryTool(uid: number): Promise<void> {
  const model = await fakeModel([[FIRST], REST]);
  const events = await runPi({
    uid,
    compileCache: GUEST.compileCache,
    commands: [{ id: 'p', type: 'prompt', message: 'check' }],
    last: (event) => event['type'] === 'agent_settled',
  });
  model.close();
  const ends = events.filter((event) => event['type'] === 'tool_execution_end');
  const failed = ends.find((event) => event['isError'] === true);
  if (failed !== undefined) fail(`pi's tool ${String(failed['toolName'])} failed: ${JSON.stringify(failed['result'])}`);
  if (ends.length !== 1 + REST.length) fail(`pi ran ${ends.length} of ${1 + REST.length} tool calls`);
}
