import { cp, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { defaultBase, PUBLISHED_BASE } from '../../src/container/image/base.ts';
import { guestFingerprint } from '../../src/container/image/fingerprint.ts';
import { imageTag } from '../../src/container/image/names.ts';

const ROOT = join(import.meta.dirname, '../..');

describe('the fingerprint of the guest side', () => {
  let root: string;
  beforeEach(async () => {
    root = await mkdtemp(join(tmpdir(), 'pi-sandbox-fingerprint-'));
    for (const name of [
      'Dockerfile.pi',
      'package.json',
      'images/build',
      'images/pi/package.json',
      'images/pi/package-lock.json',
    ]) {
      await cp(join(ROOT, name), join(root, name), { recursive: true });
    }
    await mkdir(join(root, 'dist/images/guest'), { recursive: true });
    for (const name of ['bridge', 'guard']) await writeFile(join(root, `dist/images/guest/${name}.mjs`), name);
  });
  afterEach(() => rm(root, { recursive: true }));

  test.each(['', 'node_modules/@pi-sandbox/cli'])(
    'is the same for the same files in another place (%s)',
    async (below) => {
      const place = await mkdtemp(join(tmpdir(), 'pi-sandbox-fingerprint-'));
      const copy = join(place, below);
      await cp(root, copy, { recursive: true });
      const before = await guestFingerprint(copy);
      expect(before).toMatch(/^[0-9a-f]{64}$/);
      expect(before).toBe(await guestFingerprint(root));
      await writeFile(join(copy, 'dist/images/guest/guard.mjs'), 'changed');
      expect(await guestFingerprint(copy)).not.toBe(before);
      await rm(place, { recursive: true });
    },
  );

  test('does not change with packages that lie beside its files', async () => {
    const before = await guestFingerprint(root);
    await mkdir(join(root, 'images/build/node_modules/x'), { recursive: true });
    await writeFile(join(root, 'images/build/node_modules/x/index.js'), 'x');
    expect(await guestFingerprint(root)).toBe(before);
  });

  test.each([
    'Dockerfile.pi',
    'dist/images/guest/bridge.mjs',
    'dist/images/guest/new.mjs',
    'images/build/require.sh',
    'images/pi/package-lock.json',
  ])('changes with %s', async (file) => {
    const before = await guestFingerprint(root);
    await writeFile(join(root, file), 'changed');
    expect(await guestFingerprint(root)).not.toBe(before);
  });

  test('changes with the product version', async () => {
    const before = await guestFingerprint(root);
    await writeFile(join(root, 'package.json'), '{"version":"99.0.0"}');
    expect(await guestFingerprint(root)).not.toBe(before);
  });

  test('a part that was not built is an error that says how to build it', async () => {
    await rm(join(root, 'dist'), { recursive: true });
    await expect(guestFingerprint(root)).rejects.toMatchObject({ hint: expect.stringContaining('npm run build') });
  });
});

describe('image names', () => {
  const fingerprint = '0123456789abcdef'.repeat(4);

  test('hold version and fingerprint', () => {
    expect(imageTag('0.1.0', fingerprint)).toBe('pi-sandbox:0.1.0-0123456789ab');
    expect(imageTag('1.0.0+build', fingerprint)).toBe('pi-sandbox:1.0.0-build-0123456789ab');
  });

  test('tell images that were layered upon apart', () => {
    const from = (name: string): string => imageTag('0.1.0', fingerprint, name);
    expect(from('python:3.12')).toBe('pi-sandbox:0.1.0-0123456789ab-from-python_3.12');
    const names = [
      'python:3.12',
      'python-3.12',
      'python_3.12',
      'registry.example/team/python:3.12',
      'registry.example/team-python:3.12',
    ].map(from);
    names.push(from(`a${'b'.repeat(300)}`), from(`a${'b'.repeat(301)}`), from('sha256:0123'));
    for (const name of names) expect(name).toMatch(/^pi-sandbox:[A-Za-z0-9_][A-Za-z0-9_.-]{0,127}$/);
    expect(new Set(names).size).toBe(names.length);
  });
});

describe('the default base', () => {
  const image = (tag: string, created: number) => ({ id: tag, tags: [tag], labels: {}, created, size: 1 });

  test('is the newest that was built here', async () => {
    const images = async () => [
      image('pi-sandbox-base:old', 1),
      image('pi-sandbox-base:new', 2),
      image('pi-sandbox:0.1.0-x', 3),
    ];
    expect(await defaultBase({ images })).toBe('pi-sandbox-base:new');
  });

  test('is the published one where none was built', async () => {
    expect(await defaultBase({ images: async () => [image('pi-sandbox:0.1.0-x', 3)] })).toBe(PUBLISHED_BASE);
  });
});
