import { chmodSync, mkdirSync, symlinkSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkRoot } from '../../src/workspace/root.ts';
import { temporaryFolder, write } from './support.ts';

function places() {
  const base = temporaryFolder();
  write(base, { 'home/me/project/a': '', 'home/me/.state/pi-sandbox/runs/1/x': '', 'elsewhere/b': '' });
  const home = join(base, 'home/me');
  return { base, home, where: { homeDir: home, stateDir: join(home, '.state/pi-sandbox') } };
}

test('a project folder is returned by its real path', async () => {
  const { base, home, where } = places();
  symlinkSync(join(home, 'project'), join(base, 'link'));
  expect(await checkRoot(join(base, 'link'), where)).toBe(join(home, 'project'));
  expect(await checkRoot(join(base, 'elsewhere'), where)).toBe(join(base, 'elsewhere'));
  expect(await checkRoot(join(base, 'elsewhere'), { ...where, homeDir: undefined })).toBe(join(base, 'elsewhere'));
});

test('folders that are more than one repository are refused, also through links', async () => {
  const { base, home, where } = places();
  symlinkSync(home, join(base, 'link'));
  const refused: [string, string][] = [
    ['/', 'whole file system'],
    [home, 'is your home folder'],
    [join(base, 'link'), 'is your home folder'],
    [join(base, 'home'), 'contains your home folder'],
    [base, 'contains your home folder'],
    [join(home, '.state'), 'keeps its runs'],
    [where.stateDir, 'keeps its runs'],
    [join(where.stateDir, 'runs/1'), 'inside the folder where'],
  ];
  for (const [path, why] of refused) {
    await expect(checkRoot(path, where), path).rejects.toMatchObject({
      code: 'repository',
      exitCode: 2,
      message: expect.stringContaining(why),
      hint: expect.stringContaining('pi-sandbox run'),
    });
  }
});

test('a state folder that does not exist yet protects its place', async () => {
  const { base, where } = places();
  mkdirSync(join(base, 'new'));
  symlinkSync(join(base, 'new'), join(base, 'alias'));
  await expect(checkRoot(join(base, 'new'), { ...where, stateDir: join(base, 'alias/not/yet') })).rejects.toThrow(
    'keeps its runs',
  );
});

test('what is missing, no folder, a loop or not readable is refused with the reason', async () => {
  const { base, home, where } = places();
  symlinkSync('loop', join(base, 'loop'));
  const shut = join(base, 'shut');
  mkdirSync(shut, { mode: 0 });
  await expect(checkRoot(join(base, 'none'), where)).rejects.toThrow('does not exist');
  await expect(checkRoot(join(home, 'project/a'), where)).rejects.toThrow('it is not a folder');
  await expect(checkRoot(join(home, 'project/a/b'), where)).rejects.toThrow('not a folder');
  await expect(checkRoot(join(base, 'loop'), where)).rejects.toThrow('loop of links');
  const asOther = process.getuid?.() === 0;
  if (asOther) {
    chmodSync(base, 0o755);
    process.seteuid?.(65_534);
  }
  try {
    await expect(checkRoot(shut, where)).rejects.toThrow('permission is denied');
  } finally {
    if (asOther) process.seteuid?.(0);
  }
});
