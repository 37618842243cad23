import { readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import path from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import type { ContainerSummary, Engine } from '../../src/container/engine.ts';
import { LABEL } from '../../src/protocol/labels.ts';
import { ownInstallation } from '../../src/run/installation.ts';
import { recover } from '../../src/run/recover.ts';
import { runState } from '../../src/run/run-state.ts';
import { tempFolder } from '../support/cli.ts';
import { COMPLETED, listedPlan, stamped, startedOn, writeRun } from '../support/runs.ts';

const RUN = '20261130T021610-3f9a2c';
const ENDPOINT = '/var/run/test.sock';

function setup(containers: readonly { run: string; installation?: string }[] = []) {
  const home = tempFolder();
  const stateRoot = path.join(home, 'pi-sandbox');
  const host = { machine: 'm', stateRoot, now: () => new Date('2026-11-30T03:00:00Z') };
  const own = ownInstallation(host);
  const present: ContainerSummary[] = containers.map(({ run, installation = own }) => ({
    id: `container-of-${run}`,
    labels: { [LABEL.run]: run, [LABEL.installation]: installation },
    state: 'exited',
    created: 1,
  }));
  const removed: string[] = [];
  // Filters as an engine does; what recovery does not use is absent and would fail loudly.
  const engine = {
    facts: { endpoint: ENDPOINT },
    list: async (labels: Record<string, string | true>) =>
      present.filter((one) =>
        Object.entries(labels).every(([name, value]) => value === true || one.labels[name] === value),
      ),
    volumes: async () => [],
    remove: async (id: string) => void removed.push(id),
  } as unknown as Engine;
  const records = (folder: string) =>
    readFileSync(path.join(folder, 'events.jsonl'), 'utf8')
      .split('\n')
      .filter((line) => line.endsWith('}'))
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  return { home, host, engine, removed, records };
}

const begun = (endpoint = ENDPOINT) => ({
  'plan.json': listedPlan('/repo'),
  'events.jsonl': stamped(RUN, [startedOn(endpoint)]),
});

async function listening(file: string): Promise<void> {
  const server = createServer((socket) => socket.destroy());
  await new Promise<void>((resolve) => server.listen(file, resolve));
  onTestFinished(() => void server.close());
}

test('a run whose controller was killed gets its outcome, once, and its container is removed', async () => {
  const { home, host, engine, removed, records } = setup([{ run: RUN }]);
  const folder = writeRun(home, RUN, begun());
  expect(await recover(host, engine)).toEqual({ reaped: [RUN], closed: [RUN] });
  expect(removed).toEqual([`container-of-${RUN}`]);
  const reason = 'The controller ended without an outcome; its container was removed.';
  const outcome = { outcome: 'sandbox_failed', exitCode: 5, reason };
  expect(JSON.parse(readFileSync(path.join(folder, 'outcome.json'), 'utf8'))).toEqual(outcome);
  expect(records(folder).at(-1)).toMatchObject({ seq: 2, source: 'observed', type: 'outcome', ...outcome });
  expect(await recover(host, engine)).toMatchObject({ closed: [] });
  expect(records(folder)).toHaveLength(2);
});

test('a transcript that was cut inside a line is closed off before the outcome', async () => {
  const { home, host, engine, records } = setup();
  const folder = writeRun(home, RUN, begun());
  const file = path.join(folder, 'events.jsonl');
  writeRun(home, RUN, { 'events.jsonl': `${readFileSync(file, 'utf8')}{"v":1,"seq":2,"ti` });
  await recover(host, engine);
  expect(records(folder).at(-1)).toMatchObject({ seq: 2, type: 'outcome' });
  expect(readFileSync(file, 'utf8').split('\n')).toHaveLength(4);
});

test('the money of the calls on the ledger stands in the outcome', async () => {
  const { home, host, engine, records } = setup();
  const usage = { input: 10, output: 5, cacheRead: 1, cacheWrite: 2, costUsd: 0.25 };
  const head = { v: 1, time: 't', run: RUN, call: 1 };
  const opened = {
    ...head,
    entry: 'open',
    provider: 'p',
    model: 'm',
    requestBytes: 1,
    requestSha256: 'x',
    messages: 1,
  };
  const closed = { ...head, entry: 'close', stopReason: 'stop', usage, durationMs: 1, toolCalls: [] };
  const folder = writeRun(home, RUN, { ...begun(), 'ledger.jsonl': [opened, closed, { ...opened, call: 2 }] });
  await recover(host, engine);
  expect(records(folder).at(-1)).toMatchObject({ requests: 2, costUsd: 0.25, usage: { input: 10, output: 5 } });
});

test('many who recover at the same moment write one outcome', async () => {
  const { home, host, engine, records } = setup();
  const folder = writeRun(home, RUN, begun());
  const results = await Promise.all(Array.from({ length: 8 }, () => recover(host, engine)));
  expect(results.filter(({ closed }) => closed.includes(RUN))).toHaveLength(1);
  expect(records(folder).filter((record) => record['type'] === 'outcome')).toHaveLength(1);
});

test('a run whose controller answers is left alone, container and all', async () => {
  const { home, host, engine, removed } = setup([{ run: RUN }]);
  const folder = writeRun(home, RUN, begun());
  await listening(path.join(folder, 'control'));
  expect(await recover(host, engine)).toEqual({ reaped: [], closed: [] });
  expect(removed).toEqual([]);
  expect(await runState(host.stateRoot, RUN)).toBe('running');
});

test('a run that has not written its plan is just starting, not lost', async () => {
  const { home, host, engine } = setup();
  writeRun(home, RUN, {});
  expect(await recover(host, engine)).toEqual({ reaped: [], closed: [] });
});

test('a container of another installation is never touched', async () => {
  const { host, engine, removed } = setup([{ run: RUN, installation: 'somebody else' }]);
  expect(await recover(host, engine)).toEqual({ reaped: [], closed: [] });
  expect(removed).toEqual([]);
});

test('a run on another engine stays open, since a container of it may be there', async () => {
  const { home, host, engine } = setup();
  writeRun(home, RUN, begun('/var/run/other.sock'));
  expect(await recover(host, engine)).toMatchObject({ closed: [] });
  expect(await runState(host.stateRoot, RUN)).toBe('lost');
});

test('an outcome that is there is never replaced', async () => {
  const { home, host, engine } = setup([{ run: RUN }]);
  const folder = writeRun(home, RUN, { ...begun(), 'outcome.json': COMPLETED });
  expect(await recover(host, engine)).toEqual({ reaped: [RUN], closed: [] });
  expect(JSON.parse(readFileSync(path.join(folder, 'outcome.json'), 'utf8'))).toEqual(COMPLETED);
});
