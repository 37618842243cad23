import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import path from 'node:path';
import { promisify } from 'node:util';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { beforeAll, describe, expect, test } from 'vitest';
import { defaultBase } from '../../src/container/image/base.ts';
import { imageFacts } from '../../src/container/image/facts.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import { LABEL } from '../../src/protocol/labels.ts';
import type { RunPlan } from '../../src/protocol/plan.ts';
import type { PostureFile } from '../../src/protocol/posture.ts';
import { BUILD_MS, ImageMaker } from '../support/image-making.ts';
import { runInImage } from '../support/image-probe.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { OWN_TOOL, OWN_TOOL_SAYS, ownToolchain, TOOLCHAIN } from '../support/own-toolchain.ts';
import { ofType, textOf } from '../support/pi-records.ts';
import { bash, type Ended, type EndedRun, Session } from '../support/session.ts';

const run = promisify(execFile);
/** In the environment of the build; must not be found in the image. */
const CANARY = 'canary-2f6b1c9d-must-not-enter-an-image';

const session = new Session(BUILD_MS);
const maker = new ImageMaker();
beforeAll(async () => {
  await imageReady();
  await maker.open();
}, IMAGE_MS);

const WithLayers = Type.Object({ RootFS: Type.Object({ Layers: Type.Array(Type.String()) }) });

/** Undefined answers are images that somebody else removed since they were listed. */
async function layersOf(name: string): Promise<readonly string[]> {
  const answer = await maker.engine.inspectImage(name);
  return answer === undefined ? [] : Value.Parse(WithLayers, answer).RootFS.Layers;
}

describe('an image of the user, layered upon', () => {
  let own: string;
  let built: Ended;
  let image: string;
  beforeAll(async () => {
    own = await ownToolchain(maker);
    built = await session.cli(['image', 'build', '--from', own], {
      env: { CANARY_TOKEN: CANARY, NPM_CONFIG_CANARY: CANARY },
    });
    expect(built.code, built.stderr.toString()).toBe(0);
    image = built.stdout.toString().trim();
    maker.removeLater(image);
  }, BUILD_MS);

  test('was built with progress, names its base and is none of the product', async () => {
    expect(built.stderr.toString()).toContain('Step 1/');
    const labels = imageFacts(image, await maker.engine.inspectImage(image))?.Config?.Labels;
    expect(labels).toMatchObject({ [LABEL.base]: own, [LABEL.origin]: 'user' });
  });

  test('holds nothing of the environment of whoever built it (D34)', async () => {
    expect(JSON.stringify(await maker.engine.inspectImage(image))).not.toContain(CANARY);
    const history = await run('docker', ['history', '--no-trunc', image]);
    expect(history.stdout).toContain('self-check.mjs');
    expect(history.stdout).not.toContain(CANARY);
    const pattern = `"${CANARY.slice(0, 20)}""${CANARY.slice(20)}"`;
    const search = `grep -rlaF ${pattern} / --exclude-dir=proc --exclude-dir=sys --exclude-dir=probe | sed s/^/FOUND:/`;
    const { output } = await runInImage(
      maker.engine,
      image,
      `${search}; echo searched; echo ${CANARY} > /etc/planted; ${search}`,
    );
    expect(output.match(/^(searched|FOUND:.*)$/gm)).toEqual(['searched', 'FOUND:/etc/planted']);
  });

  test('leaves stages that prune lists by their id, and is not listed itself', async () => {
    const mine = (await layersOf(own)).at(-1);
    const stages = [];
    for (const { id, tags } of await maker.engine.images({ [LABEL.stage]: true })) {
      if (tags.every((tag) => tag === '<none>:<none>') && (await layersOf(id)).some((layer) => layer === mine))
        stages.push(id);
    }
    expect(stages.length).toBeGreaterThan(0);
    const { code, stdout } = await session.cli(['prune', '--images', '--dry-run']);
    expect(code).toBe(0);
    const listed = stdout
      .toString()
      .split('\n')
      .map((line) => line.split(/\s+/)[1]);
    for (const id of stages) expect(listed).toContain(id);
    expect(listed).not.toContain(image);
    for (const id of stages) await maker.engine.removeImage(id);
  });

  describe('in a run', () => {
    let ended: EndedRun;
    const saved = <T>(name: string): T =>
      JSON.parse(readFileSync(path.join(session.runs, ofType(ended.records, 'outcome').run, name), 'utf8')) as T;
    beforeAll(async () => {
      const repo = session.repository('repo', { 'needle.txt': 'a needle\n' });
      ended = await session.run(
        repo,
        [
          bash(OWN_TOOL, 'echo "$PATH"', 'getent hosts localhost', 'rg -n needle', 'fd needle', 'git log --format=%s'),
          {
            expect: OWN_TOOL_SAYS,
            tools: [
              { name: 'grep', arguments: { pattern: 'needle' } },
              { name: 'find', arguments: { pattern: '*.txt' } },
            ],
          },
          { text: 'done' },
        ],
        { args: ['--image', image] },
      );
      expect(ended.code, ended.stderr.toString()).toBe(0);
    });

    test('its tools are found by name, and ours stand behind them', () => {
      expect(textOf(ended.records, 'call_1_1')).toContain(OWN_TOOL_SAYS);
      expect(textOf(ended.records, 'call_1_2')).toBe(
        `${GUEST.agentDir}/bin:${TOOLCHAIN}:/usr/local/bin:/usr/bin:/bin:${GUEST.root}/bin\n`,
      );
      expect(textOf(ended.records, 'call_1_4')).toContain('needle.txt:1:a needle');
      expect(textOf(ended.records, 'call_1_5')).toContain('needle.txt');
      expect(textOf(ended.records, 'call_1_6').trim()).not.toBe('');
      expect(textOf(ended.records, 'call_2_1')).toContain('needle.txt');
      expect(textOf(ended.records, 'call_2_2')).toContain('needle.txt');
    });

    test('localhost has an address, which takes the set-up of the engine where the image knows none', () => {
      expect(saved<RunPlan>('plan.json').container).toMatchObject({ image, networkDisabled: false });
      expect(textOf(ended.records, 'call_1_3')).toMatch(/^(127\.0\.0\.1|::1)\s/);
    });

    test('the sandbox is the same: nothing of its posture is weaker', () => {
      expect(saved<PostureFile>('posture.json')).toMatchObject({ evidence: 'host', findings: [], accepted: [] });
    });
  });
});

describe('what cannot be layered upon is refused in one clear sentence, before anything is installed', () => {
  test.each([
    ['an image without bash', ['RUN rm -f /bin/bash /usr/bin/bash'], /no \/bin\/bash/],
    ['an image with a volume', ['VOLUME /data'], /volume \(\/data\)/],
  ])('%s', async (_what, lines, words) => {
    const odd = await maker.vary(await defaultBase(maker.engine), ...lines);
    const refused = await session.cli(['image', 'build', '--from', odd]);
    expect(refused.code).toBe(5);
    expect(refused.stderr.toString()).toMatch(words);
    expect(refused.stderr.toString()).not.toContain('Installing pi');
  });

  test('an image that is not there', async () => {
    const refused = await session.cli(['image', 'build', '--from', 'pi-sandbox-test:missing']);
    expect(refused.code).toBe(5);
    expect(refused.stderr.toString()).toContain('no image');
  });
});
