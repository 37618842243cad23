/**
 * What the gate adds to a tool call: the guard asks, the host decides by the shipped policy, records and answers. Cheap calls
 * of real pi in its container, half of them without the gate, interleaved in each of some runs: the conversation of a single
 * one would grow longer than any real one, and with it the work that pi has beside the gate.
 *
 *   npm run bench -- gate [--runs N] [--calls N]
 */
import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg, tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';
import { GUEST } from '../src/protocol/guest.ts';
import { testEngine, testImage } from '../test/support/engine.ts';
import { gateRun } from '../test/support/gate-run.ts';
import { buildSmall } from '../test/support/image-probe.ts';

const { values } = parseArgs({
  options: { runs: { type: 'string', default: '5' }, calls: { type: 'string', default: '80' } },
});
const [runs, calls] = [Number(values.runs), Number(values.calls)];
/** Calls that are not counted: code is loaded and compiled in them. */
const WARM_UP = 20;
/** Most that the gate may add to a call, milliseconds. */
const BAR_MS = 5;
const ENTRY = 'bench-gate';

/** Tells how long each call took in pi, and how long the guard of it; the guard sees only every second call. */
const TIMED = `
let benchCalls = 0;
function timed(pi) {
  const started = new Map();
  const guarded = new Map();
  pi.on('tool_execution_start', (event) => void started.set(event.toolCallId, performance.now()));
  pi.on('tool_execution_end', ({ toolCallId: id, toolName: tool }) => {
    const gate = guarded.get(id);
    pi.appendEntry('${ENTRY}', { tool, total: performance.now() - started.get(id), ...(gate === undefined ? {} : { gate }) });
  });
  const on = (name, handler) => pi.on(name, name !== 'tool_call' ? handler : async (event, context) => {
    if (++benchCalls % 4 >= 2) return undefined;
    const from = performance.now();
    const result = await handler(event, context);
    guarded.set(event.toolCallId, performance.now() - from);
    return result;
  });
  guard(new Proxy(pi, { get: (target, name) => (name === 'on' ? on : target[name]) }));
}
export { timed as default };
`;

interface Entry {
  readonly tool: string;
  /** From the start to the end of the call in pi, milliseconds. */
  readonly total: number;
  /** In the guard; absent for a call that it did not see, milliseconds. */
  readonly gate?: number;
}

const work = mkdtempSync(path.join(tmpdir(), 'pi-sandbox-bench-'));
const engine = await testEngine();
let image = '';
try {
  await main();
} finally {
  if (image !== '') await engine.removeImage(image);
  rmSync(work, { recursive: true, force: true });
}

async function main(): Promise<void> {
  const shipped = readFileSync(path.join(import.meta.dirname, '../dist/images/guest/guard.mjs'), 'utf8');
  const guard = shipped.replace(/export \{\s*guard as default\s*\};/, TIMED);
  if (guard === shipped) throw new Error('the end of the guard is not as it was');
  const dockerfile = `FROM ${await testImage()}\nUSER root\nCOPY guard.mjs ${GUEST.guard}\n`;
  const built = await buildSmall(engine, dockerfile, { 'guard.mjs': guard });
  if (!built.ok) throw new Error(built.output);
  image = built.tag;
  const repo = path.join(work, 'repo');
  mkdirSync(repo);
  writeFileSync(path.join(repo, 'README.md'), '# bench\n');

  // All fail: a call that works without having been asked about would end the run.
  const asked = [
    { name: 'read', arguments: { path: 'missing.txt' } },
    { name: 'bash', arguments: { command: 'cd /workspace && cat README.md | grep -n nothing' } },
  ];
  const turns = Array.from({ length: calls + WARM_UP }, (_, at) => ({ tools: [asked[at % 2]] }));
  const entries: Entry[] = [];
  const decisions: number[] = [];
  for (let n = 0; n < runs; n++) {
    const state = path.join(work, `state-${n}`);
    mkdirSync(state);
    const run = await gateRun({
      ...{ repo, state, turns: [...turns, { text: 'done' }] },
      guardSha256: createHash('sha256').update(guard).digest('hex'),
      request: { image, maxTurns: 2 * turns.length },
    });
    if (run.outcome.outcome !== 'completed') throw new Error(run.outcome.reason);
    entries.push(...run.records.flatMap(entryOf).slice(WARM_UP));
    const decided = run.records.filter(({ type }) => type === 'gate').map(({ durationMs }) => Number(durationMs));
    decisions.push(...decided.slice(WARM_UP / 2));
  }
  report(entries, decisions);
}

function entryOf(record: Readonly<Record<string, unknown>>): Entry[] {
  const event = record['event'] as { entry?: { customType?: string; data?: Entry } } | undefined;
  return event?.entry?.customType === ENTRY && event.entry.data !== undefined ? [event.entry.data] : [];
}

function report(entries: readonly Entry[], decisions: readonly number[]): void {
  const load = `load ${loadavg()[0]?.toFixed(1)} on ${availableParallelism()} processors`;
  console.log(`${entries.length} calls in ${runs} runs, half of them without the gate, milliseconds (${load})\n`);
  console.log('tool   of the call           p50     p95');
  const row = (tool: string, what: string, times: readonly number[]): void =>
    console.log(`${tool.padEnd(7)}${what.padEnd(20)}${figure(times, 0.5)}${figure(times, 0.95)}`);
  for (const tool of ['read', 'bash']) {
    const own = entries.filter((entry) => entry.tool === tool);
    const asked = own.filter(({ gate }) => gate !== undefined);
    row(
      tool,
      'without the gate',
      own.filter(({ gate }) => gate === undefined).map(({ total }) => total),
    );
    row(
      tool,
      'with the gate',
      asked.map(({ total }) => total),
    );
    row(
      tool,
      'in the guard',
      asked.map(({ gate = 0 }) => gate),
    );
  }
  const added = entries.flatMap(({ gate }) => (gate === undefined ? [] : [gate]));
  row('all', 'in the guard', added);
  row('all', 'of it on the host', decisions);
  const worst = at(added, 0.95);
  console.log(`\nbar: under ${BAR_MS} ms at p95: ${worst < BAR_MS ? 'held' : 'MISSED'}`);
  if (worst >= BAR_MS) process.exitCode = 1;
}

function at(times: readonly number[], share: number): number {
  const sorted = [...times].sort((a, b) => a - b);
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))] ?? Number.NaN;
}

function figure(times: readonly number[], share: number): string {
  return at(times, share).toFixed(2).padStart(8);
}
