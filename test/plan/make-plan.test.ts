import { describe, expect, test } from 'vitest';
import { GiB, MiB } from '../../src/lib/bytes.ts';
import { strictParse } from '../../src/lib/strict-parse.ts';
import { handsBack, PROFILE_WRITES } from '../../src/plan/profiles.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import { type ProfileName, RunPlan } from '../../src/protocol/plan.ts';
import { MAX_TIMER_MS } from '../../src/request/run-request.ts';
import { hostFacts, makePlan, REQUEST, refusal } from './support.ts';

const profiles = Object.keys(PROFILE_WRITES) as ProfileName[];

describe('a plan', () => {
  test.each(profiles)('of the profile %s is the recorded one, whole and valid', async (profile) => {
    const plan = makePlan({ ...REQUEST, profile }, hostFacts());
    expect(strictParse(RunPlan, plan)).toEqual({ ok: true, value: plan });
    await expect(`${JSON.stringify(plan, null, 2)}\n`).toMatchFileSnapshot(`../fixtures/golden/${profile}.json`);
  });

  test('of a mounted review is the recorded one', async () => {
    const facts = hostFacts({
      repository: {
        piFolders: ['.pi', '.agents'].map((name) => ({
          name,
          kind: 'folder',
          holds: [],
          holdsMore: false,
          enters: false,
        })),
      },
    });
    const plan = makePlan({ ...REQUEST, profile: 'review', workspace: 'mount' }, facts);
    expect(strictParse(RunPlan, plan)).toEqual({ ok: true, value: plan });
    await expect(`${JSON.stringify(plan, null, 2)}\n`).toMatchFileSnapshot('../fixtures/golden/review-mount.json');
  });

  test('is the same for the same request and facts', () => {
    expect(makePlan(REQUEST, hostFacts())).toEqual(makePlan(REQUEST, hostFacts()));
  });

  test('survives JSON unchanged', () => {
    const plan = makePlan(REQUEST, hostFacts());
    expect(JSON.parse(JSON.stringify(plan))).toEqual(plan);
  });

  test('names nobody who could hand out credentials: no provider, URL or key reaches the container', () => {
    const { argv, env } = makePlan(REQUEST, hostFacts()).pi;
    expect(JSON.stringify({ argv, env })).not.toMatch(/anthropic|https?:\/\//);
    expect(argv[argv.indexOf('--api-key') + 1]).toBe('placeholder');
  });

  test('without any tool says so to pi, which takes an empty list for none given', () => {
    expect(makePlan({ ...REQUEST, tools: '' }, hostFacts()).pi.argv).toContain('--no-tools');
  });

  test('keeps the seconds that a bash timeout rounds up to', () => {
    expect(makePlan(REQUEST, hostFacts()).limits.bashTimeoutSeconds).toBe(300);
    expect(makePlan({ ...REQUEST, bashTimeoutMs: 1_200 }, hostFacts()).limits.bashTimeoutSeconds).toBe(2);
    const longest = makePlan({ ...REQUEST, bashTimeoutMs: MAX_TIMER_MS }, hostFacts()).limits.bashTimeoutSeconds;
    expect(longest * 1_000, 'what a timer can wait').toBeLessThan(2 ** 31);
  });
});

test.each([
  ['edit', {}, true],
  ['edit with bash alone', { tools: 'bash' }, true],
  ['edit on a mount', { workspace: 'mount' }, false],
  ['review', { profile: 'review' }, false],
  ['review with a tool that writes', { profile: 'review', tools: '+write' }, true],
  ['triage', { profile: 'triage' }, false],
] as const)('changes are taken out of runs that are about changes: %s', (_what, request, expected) => {
  expect(handsBack(makePlan({ ...REQUEST, ...request }, hostFacts()))).toBe(expected);
});

describe('sizes follow the repository', () => {
  const workspaceOf = (files: number, bytes: number) => {
    const plan = makePlan(REQUEST, hostFacts({ repository: { files, entries: files, bytes } }));
    const tmpfs = plan.container.tmpfs.find(({ path }) => path === GUEST.workspace);
    if (tmpfs === undefined) throw new Error('no workspace');
    return { ...tmpfs, memory: plan.container.memory, fileSize: plan.container.fileSize };
  };

  test('a larger one gets a larger workspace, with room to work and inodes for each file', () => {
    const [small, large] = [workspaceOf(10, 1_000), workspaceOf(200_000, GiB)];
    expect(small.size).toBeGreaterThanOrEqual(256 * MiB);
    expect(large.size).toBeGreaterThan(2 * GiB);
    expect(large.inodes).toBeGreaterThan(200_000);
    expect(large.inodes).toBeGreaterThan(small.inodes);
  });

  test('memory holds every in-memory folder when it is full, and the processes beside', () => {
    const plan = makePlan(REQUEST, hostFacts({ repository: { bytes: GiB } }));
    const folders = plan.container.tmpfs.reduce((sum, { size }) => sum + size, 0);
    expect(plan.container.memory).toBeGreaterThanOrEqual(folders + GiB);
  });

  test('a file may be as large as the workspace', () => {
    expect(workspaceOf(1, GiB).fileSize).toBe(workspaceOf(1, GiB).size);
  });

  test('pi can never be granted more full output than its temp folder holds', () => {
    const { limits, container } = makePlan(REQUEST, hostFacts());
    const spill = container.tmpfs.find(({ path }) => path === GUEST.spill);
    expect(limits.spillBytesPerRun).toBeLessThan(spill?.size ?? 0);
    expect(limits.spillBytesPerCall).toBeLessThanOrEqual(limits.spillBytesPerRun);
  });

  test('--disk and --memory are taken as they are, and refused where they cannot hold the repository', () => {
    const facts = hostFacts({ repository: { bytes: 100 * MiB } });
    const plan = makePlan({ ...REQUEST, disk: 300 * MiB, memory: 3 * GiB }, facts);
    expect(plan.container.memory).toBe(3 * GiB);
    expect(plan.container.tmpfs.find(({ path }) => path === GUEST.workspace)?.size).toBe(300 * MiB);
    const error = refusal(() => makePlan({ ...REQUEST, disk: 50 * MiB }, facts));
    expect(error).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(error.message).toContain('--disk');
  });

  test('more memory than the engine has is refused by name', () => {
    expect(refusal(() => makePlan({ ...REQUEST, memory: 64 * GiB }, hostFacts())).message).toContain('memory');
  });

  test('processors never exceed what the engine has', () => {
    const facts = hostFacts({ engine: { cpus: 1, memory: 16 * GiB, local: true } });
    const { bootCpus, cpus } = makePlan(REQUEST, facts).container;
    expect({ bootCpus, cpus }).toEqual({ bootCpus: 1, cpus: 1 });
    expect(refusal(() => makePlan({ ...REQUEST, cpus: 8 }, facts)).message).toContain('1 processors; --cpus 8');
  });

  test('a weakness is accepted only by a name that a check could report', () => {
    const accepted = ['CapDrop', 'Ulimits.nofile', 'Tmpfs./spill', 'SecurityOpt.seccomp', 'SecurityModule'];
    expect(makePlan({ ...REQUEST, acceptWeaker: accepted }, hostFacts()).acceptWeaker).toEqual(accepted);
    const error = refusal(() => makePlan({ ...REQUEST, acceptWeaker: ['CapDrob'] }, hostFacts()));
    expect(error).toMatchObject({ code: 'usage', exitCode: 2 });
    expect(error.hint).toContain('CapDrop');
  });

  test('a mount never pretends to leave out what the user named', () => {
    const request = { ...REQUEST, exclude: ['secret'] };
    expect(refusal(() => makePlan({ ...request, workspace: 'mount' }, hostFacts())).message).toContain('--exclude');
    const large = hostFacts({ repository: { bytes: 20 * GiB } });
    expect(makePlan({ ...request, profile: 'review' }, large)).toMatchObject({
      workspace: { mode: 'copy', path: GUEST.volumeWorkspace },
    });
  });
});

describe('a repository too large for memory', () => {
  const large = hostFacts({ repository: { bytes: 20 * GiB } });

  test('is mounted for a profile that only reads, and the plan says so', () => {
    const plan = makePlan({ ...REQUEST, profile: 'review' }, large);
    expect(plan.workspace.mode).toBe('mount');
    expect(plan.container.bind).toEqual({ source: REQUEST.repo, target: GUEST.workspace });
    expect(plan.notices.join('\n')).toContain('mounted read-only instead');
  });

  test.each([
    ['edit', { ...REQUEST }],
    ['a copy that was asked for', { ...REQUEST, profile: 'review' as const, workspace: 'copy' as const }],
  ])('lies on a disk volume for %s, and the plan says that it has no quota', (_what, request) => {
    const plan = makePlan(request, large);
    expect(plan.workspace).toMatchObject({ mode: 'copy', path: GUEST.volumeWorkspace });
    expect(plan.container.volume?.size).toBeGreaterThan(40 * GiB);
    expect(plan.container.tmpfs.map(({ path }) => path)).not.toContain(GUEST.workspace);
    expect(plan.container.memory).toBeLessThan(4 * GiB);
    expect(plan.notices.join('\n')).toContain('no quota');
  });

  test('lies on a volume of a remote engine too, which has nothing to mount', () => {
    const remote = { ...large, engine: { ...large.engine, local: false } };
    expect(makePlan({ ...REQUEST, profile: 'review' }, remote).container.volume).toBeDefined();
    const error = refusal(() => makePlan({ ...REQUEST, workspace: 'mount' }, remote));
    expect(error.hint).toContain('--workspace copy');
  });
});
