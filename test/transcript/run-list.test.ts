import { chmodSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { findRun, listRuns, RunFolder } from '../../src/transcript/run-folder.ts';
import { freshStateRoot } from './support.ts';

const OUTCOME = { outcome: 'completed', exitCode: 0, reason: 'Done.' };
const plan = (root: string) => ({
  profile: 'edit',
  model: { spec: 'scripted:a.yaml' },
  workspace: { root },
  future: true,
});

function threeRuns(): string {
  const root = freshStateRoot();
  const first = RunFolder.create(root, '20261129T235959-aaaaaa');
  first.writeJson('plan.json', plan('/repo/one'));
  first.writeJson('outcome.json', OUTCOME);
  RunFolder.create(root, '20261130T000000-bbbbbb').writeJson('plan.json', plan('/repo/two'));
  RunFolder.create(root, '20261130T000001-cccccc');
  return root;
}

describe('listRuns', () => {
  it('lists runs by time with what can be read of them', () => {
    const [first, second, third] = listRuns(threeRuns());
    expect(first).toMatchObject({
      id: '20261129T235959-aaaaaa',
      time: '2026-11-29T23:59:59Z',
      repo: '/repo/one',
      outcome: OUTCOME,
    });
    expect(second).toMatchObject({ repo: '/repo/two', profile: 'edit', model: 'scripted:a.yaml' });
    expect(second).not.toHaveProperty('outcome');
    expect(third).not.toHaveProperty('repo');
  });

  it('lists nothing where nothing ran, and ignores what is no run', () => {
    expect(listRuns(freshStateRoot())).toEqual([]);
    const root = threeRuns();
    mkdirSync(join(root, 'runs', 'notes'));
    expect(listRuns(root)).toHaveLength(3);
  });

  it('lists a run whose files are damaged', () => {
    const root = threeRuns();
    writeFileSync(join(root, 'runs', '20261129T235959-aaaaaa', 'outcome.json'), '{"outc');
    expect(listRuns(root)[0]).toMatchObject({ repo: '/repo/one' });
    expect(listRuns(root)[0]).not.toHaveProperty('outcome');
  });

  it('refuses a state folder that others can write to', () => {
    const root = threeRuns();
    chmodSync(root, 0o777);
    expect(() => listRuns(root)).toThrow(expect.objectContaining({ code: 'state' }));
  });
});

describe('findRun', () => {
  it('finds by id, by unique prefix, and the last one', () => {
    const root = threeRuns();
    expect(findRun(root, '20261130T000000-bbbbbb').id).toBe('20261130T000000-bbbbbb');
    expect(findRun(root, '20261129').id).toBe('20261129T235959-aaaaaa');
    expect(findRun(root, 'last').id).toBe('20261130T000001-cccccc');
    expect(findRun(root, 'last', { repo: '/repo/one' }).id).toBe('20261129T235959-aaaaaa');
  });

  it('names the candidates of an ambiguous prefix', () => {
    expect(() => findRun(threeRuns(), '20261130')).toThrow(
      expect.objectContaining({
        code: 'usage',
        message: expect.stringContaining('20261130T000000-bbbbbb, 20261130T000001-cccccc'),
      }),
    );
  });

  it.each(['nosuch', '', '../x'])('says that there is no run %j', (ref) => {
    expect(() => findRun(threeRuns(), ref)).toThrow(
      expect.objectContaining({ code: 'usage', exitCode: 2, hint: expect.stringContaining('ls') }),
    );
  });

  it('says whose last run is missing', () => {
    expect(() => findRun(threeRuns(), 'last', { repo: '/repo/new' })).toThrow(/no run of \/repo\/new yet/);
    expect(() => findRun(freshStateRoot(), 'last')).toThrow(/no run yet/);
  });
});
