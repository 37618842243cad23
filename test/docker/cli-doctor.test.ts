import { Value } from '@sinclair/typebox/value';
import { beforeAll, expect, test } from 'vitest';
import { DoctorReport } from '../../src/protocol/doctor-report.ts';
import { ImageReport } from '../../src/protocol/image-report.ts';
import { runCli } from '../support/cli.ts';
import { testEngine, testImage } from '../support/engine.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';

beforeAll(imageReady, IMAGE_MS);

test('doctor looks at everything that a run depends on, and agrees with the engine', async () => {
  const ended = await runCli(['doctor', '--json']);
  const report = JSON.parse(ended.stdout) as DoctorReport;
  expect([...Value.Errors(DoctorReport, report)]).toEqual([]);
  const { v, canStart, checks } = report;
  expect({ v, canStart, code: ended.code }).toEqual({ v: 1, canStart: true, code: 0 });
  const ids = new Set(checks.map(({ id }) => id));
  const wanted = ['node', 'state-folder', 'git', 'engine', 'engine-version', 'runc-version', 'seccomp', 'cgroup'];
  for (const id of [
    ...wanted,
    'security-module',
    'user-namespace',
    'resources',
    'runtimes',
    'evidence',
    'image',
    'base',
    'leftovers',
  ]) {
    expect(ids).toContain(id);
  }
  const { facts } = await testEngine();
  expect(checks.find(({ id }) => id === 'engine-version')?.found).toContain(facts.version);
  expect(checks.find(({ id }) => id === 'cgroup')?.found).toBe(`version ${facts.cgroupVersion}`);
  for (const { level, meaning } of checks) if (level !== 'ok') expect(meaning).toBeTruthy();
});

test('image show describes the image that runs use', async () => {
  const built = await runCli(['image', 'build', '--if-missing']);
  expect(built).toMatchObject({ code: 0, stdout: `${await testImage()}\n` });
  const ended = await runCli(['image', 'show', '--json']);
  const facts = await (await testEngine()).inspectImage(await testImage());
  expect(ended.code).toBe(0);
  const report = JSON.parse(ended.stdout) as unknown;
  expect([...Value.Errors(ImageReport, report)]).toEqual([]);
  expect(report).toMatchObject({
    v: 1,
    tag: await testImage(),
    id: (facts as { Id: string }).Id,
    fits: true,
    size: expect.any(Number),
    base: expect.any(String),
  });
});

test('prune --images --dry-run never lists the image that runs use', async () => {
  const ended = await runCli(['prune', '--images', '--dry-run']);
  expect(ended.code).toBe(0);
  expect(ended.stdout).not.toContain(await testImage());
});
