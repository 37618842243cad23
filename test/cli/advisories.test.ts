import { expect, test } from 'vitest';
import { openAdvisories, parseVersion, RUNC_ADVISORIES } from '../../src/cli/doctor/advisories.ts';
import { engineChecks } from '../../src/cli/doctor/engine-checks.ts';
import type { EngineFacts } from '../../src/container/engine.ts';

const ids = (version: string) => openAdvisories(version, RUNC_ADVISORIES).flatMap((advisory) => advisory.ids);

test.each([
  ['1.1.5+ds1-1+deb12u1', [1, 1, 5]],
  ['v1.1.12-0-g51d5e94', [1, 1, 12]],
  ['1.3.3', [1, 3, 3]],
  ['51d5e946', undefined],
  ['unknown', undefined],
])('the release in %s is %j', (text, version) => {
  expect(parseVersion(text)).toEqual(version);
});

test('an old release lacks every fix, a new one none', () => {
  expect(ids('1.0.0')).toEqual(RUNC_ADVISORIES.flatMap((advisory) => advisory.ids));
  expect(ids('1.4.3')).toEqual([]);
  expect(ids('2.0.0')).toEqual([]);
});

test('each maintained line counts from its own fix', () => {
  const mounts = 'CVE-2025-31133';
  expect(ids('1.2.7')).toContain(mounts);
  expect(ids('1.2.8')).not.toContain(mounts);
  expect(ids('1.3.2')).toContain(mounts);
  expect(ids('1.3.3')).not.toContain(mounts);
  expect(ids('1.1.99')).toContain(mounts);
  expect(ids('1.4.0')).not.toContain(mounts);
});

test('the fix of the working folder is told to the release', () => {
  expect(ids('1.1.11')).toContain('CVE-2024-21626');
  expect(ids('1.1.12')).not.toContain('CVE-2024-21626');
});

test('doctor names every open fault of an old runc and says once what to do', () => {
  const facts = { runtimeVersion: '1.0.0', securityOptions: [], runtimes: [], memory: 0 } as unknown as EngineFacts;
  const warned = engineChecks(facts).filter(({ id }) => id === 'runc-version');
  expect(warned).toHaveLength(RUNC_ADVISORIES.length);
  expect(warned.filter(({ advice }) => advice !== undefined)).toEqual([warned.at(-1)]);
});
