import { expect, it } from 'vitest';
import { DEAD_MAN_MS, expectNothingRunsOn, killGroup } from '../support/aftermath.ts';
import { testEngine } from '../support/engine.ts';
import { eventually } from '../support/host-processes.ts';
import { imageReady } from '../support/image-ready.ts';
import { fillRepo, lab } from '../support/lab.ts';

const MOMENTS = 20;
/** From the start of the process; by then a run has long been streaming. */
const LATEST_MS = 4_000;

it('SIGKILL of the whole process group at 20 random moments leaves nothing running', async (context) => {
  await imageReady();
  const engine = await testEngine();
  const moments: string[] = [];
  for (let round = 0; round < MOMENTS; round++) {
    const home = lab();
    fillRepo(home.repo, 2_000, 10_000);
    const tool = `{ tools: [{ name: bash, arguments: { command: "yes | head -c 3000000; sleep 0.2" } }] }`;
    const slow = `{ text: "${'word '.repeat(400)}", tokensPerSecond: 200 }`;
    const cli = home.run(`turns: [${tool}, ${tool}, ${slow}]`, ['--json'], { group: true });
    // Random on purpose: this test is about the moments that nobody thought of.
    const moment = Math.round(Math.random() * LATEST_MS);
    const started = performance.now();
    await eventually('the moment has come', LATEST_MS + 1_000, () => performance.now() - started >= moment);
    const last = cli.stdout.trimEnd().split('\n').at(-1)?.slice(0, 200) ?? '';
    await killGroup(cli);
    const gone = await expectNothingRunsOn(home, engine);
    moments.push(`${moment} ms (${/"type":"(\w+)"/.exec(last)?.[1] ?? 'before the first record'}): ${gone} ms`);
  }
  Object.assign(context.task.meta, { figures: moments.join('; ') });
  expect(moments).toHaveLength(MOMENTS);
  expect(DEAD_MAN_MS).toBeLessThanOrEqual(15_000);
});
