import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { BuildProgress } from '../../src/container/image/build-progress.ts';
import { checkBase, checkImage } from '../../src/container/image/check.ts';
import { type ImageFacts, imageFacts } from '../../src/container/image/facts.ts';
import { SandboxError } from '../../src/errors.ts';
import { GUEST } from '../../src/protocol/guest.ts';
import { LABEL } from '../../src/protocol/labels.ts';

const EXPECTED = { name: 'pi-sandbox:0.1.0-abc', version: '0.1.0', fingerprint: 'f'.repeat(64) };
const LABELS = { [LABEL.version]: '0.1.0', [LABEL.guest]: EXPECTED.fingerprint, [LABEL.base]: 'node:24' };

function facts(config: Partial<NonNullable<ImageFacts['Config']>> = {}): ImageFacts {
  return { Id: 'sha256:1', Config: { Labels: LABELS, Volumes: null, OnBuild: null, ...config } };
}

function problem(check: () => void): SandboxError {
  try {
    check();
  } catch (error) {
    if (error instanceof SandboxError) return error;
    throw error;
  }
  throw new Error('nothing was refused');
}

describe('an image is used only when it is what this product builds', () => {
  test('our own passes, with a health check that was switched off', () => {
    checkImage(facts({ Healthcheck: { Test: ['NONE'] } }), EXPECTED);
    checkImage(facts({ Volumes: {}, OnBuild: [] }), EXPECTED);
  });

  test.each([
    ['a foreign image', { Labels: null }, 'not built by pi-sandbox'],
    ['another version', { Labels: { ...LABELS, [LABEL.version]: '0.0.9' } }, 'pi-sandbox 0.0.9, and this is 0.1.0'],
    ['another guest', { Labels: { ...LABELS, [LABEL.guest]: '0' } }, 'differs from what this pi-sandbox puts'],
    ['a volume', { Volumes: { '/data': {} } }, 'volume (/data)'],
    ['build triggers', { OnBuild: ['RUN x'] }, 'ONBUILD'],
    ['a health check', { Healthcheck: { Test: ['CMD', 'x'] } }, 'health check'],
  ])('%s is refused, with the way to a good one', (_what, config, words) => {
    const error = problem(() => checkImage(facts(config), EXPECTED));
    expect(error).toMatchObject({ code: 'image', exitCode: 5, hint: 'Build it again: pi-sandbox image build' });
    expect(error.message).toContain(words);
  });

  test('the way back to an image that was layered names its base', () => {
    const name = 'pi-sandbox:0.1.0-abc-from-python-3';
    const labels = { ...LABELS, [LABEL.guest]: '0', [LABEL.base]: 'python:3' };
    expect(problem(() => checkImage(facts({ Labels: labels }), { ...EXPECTED, name })).hint).toContain(
      'image build --from python:3',
    );
  });

  test('an answer of the engine that cannot be read is an engine error, none is no image', () => {
    expect(problem(() => imageFacts('x', { Id: 3 })).code).toBe('engine');
    expect(imageFacts('x', undefined)).toBeUndefined();
  });
});

describe('what cannot be taken back by layering is refused before the build', () => {
  test.each([
    ['a volume', facts({ Volumes: { '/data': {} } }), '/data'],
    ['build triggers', facts({ OnBuild: ['RUN x'] }), 'ONBUILD'],
    ['another system', { ...facts(), Os: 'windows' }, 'windows'],
  ])('%s', (_what, image, words) => {
    expect(problem(() => checkBase('img', image)).message).toContain(words);
  });

  test('a health check is not, because it is switched off', () => {
    checkBase('img', { ...facts({ Healthcheck: { Test: ['CMD', 'x'] } }), Os: 'linux' });
  });
});

test('the mount points that an image must leave free are those of a run', async () => {
  const script = await readFile(join(import.meta.dirname, '../../images/build/require.sh'), 'utf8');
  expect(script).toContain(`for folder in ${GUEST.workspace} ${GUEST.home} ${GUEST.spill}; do`);
});

describe('a failed build', () => {
  function failing(...messages: unknown[]): { error: SandboxError; lines: string[] } {
    const lines: string[] = [];
    const progress = new BuildProgress((line) => lines.push(line));
    const error = problem(() => {
      for (const message of messages) progress.take(message);
    });
    return { error, lines };
  }

  test('names its step and the last lines, and passed progress on', () => {
    const { error, lines } = failing(
      { stream: 'Step 1/9 : FROM x\n' },
      { status: 'Pulling' },
      { stream: 'Step 2/9 : RUN make\n' },
      { stream: 'cc -c a.c\nerror: no a.c\n' },
      { errorDetail: { message: 'returned a non-zero code: 2' }, error: 'returned a non-zero code: 2' },
    );
    expect(lines).toEqual(['Step 1/9 : FROM x', 'Pulling', 'Step 2/9 : RUN make', 'cc -c a.c', 'error: no a.c']);
    expect(error.message).toContain(
      '"RUN make" failed: returned a non-zero code: 2. Last lines: cc -c a.c | error: no a.c',
    );
  });

  test('at its base says what to do', () => {
    const { error } = failing({ stream: 'Step 3/9 : FROM nope AS tools\n' }, { error: 'no such host.' });
    expect(error.message).toBe('The image could not be built. The step "FROM nope AS tools" failed: no such host.');
    expect(error.hint).toContain('images/base/build');
  });

  test('in our own words needs nothing else', () => {
    const { error } = failing(
      { stream: 'Step 2/9 : RUN sh require.sh\n' },
      { stream: '\u001b[91mpi-sandbox: this image has no /bin/bash.\n\u001b[0m' },
      { error: 'non-zero code' },
    );
    expect(error).toMatchObject({
      message: 'The image could not be built: this image has no /bin/bash.',
      hint: expect.stringContaining('RUN sh require.sh'),
    });
  });

  test('for want of a shell is said in words, in linear time', () => {
    const shell = 'exec: "/bin/sh": stat /bin/sh: no such file or directory';
    expect(failing({ error: shell }).error.message).toContain('has no /bin/sh that runs');
    const start = performance.now();
    expect(failing({ error: '/bin/sh '.repeat(100_000) }).error.message).not.toContain('has no /bin/sh');
    expect(performance.now() - start).toBeLessThan(1_500);
  });

  test('objects of unknown shape are passed over', () => {
    const progress = new BuildProgress(() => undefined);
    for (const odd of [null, 1, 'x', { stream: 3 }, { aux: { ID: 'x' } }]) progress.take(odd);
  });
});
