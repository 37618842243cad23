import { chmodSync, chownSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { loadPolicyLayers, type PolicyPlaces } from '../../src/policy/load.ts';
import { MAX_POLICY_BYTES } from '../../src/policy/read-file.ts';
import { tempFolder } from '../support/cli.ts';

/** A home with a configuration folder, a repository in it, and a folder that belongs to neither. */
function places() {
  const base = tempFolder();
  const [home, config, repo, other] = ['home', 'home/.config/pi-sandbox', 'home/code/repo', 'other'].map((name) => {
    mkdirSync(path.join(base, name), { recursive: true });
    return path.join(base, name);
  }) as [string, string, string, string];
  const put = (folder: string, name: string, text = 'version: 1\n'): string => {
    const file = path.join(folder, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const load = (given: Partial<PolicyPlaces> = {}) =>
    loadPolicyLayers({ configDir: config, homeDir: home, root: repo, ...given });
  return { base, home, config, repo, other, put, load };
}

describe('policies are taken from the user and from nobody else', () => {
  test('without any there are no layers, with or without a configuration folder', async () => {
    const { load, base } = places();
    expect(await load()).toEqual([]);
    expect(await load({ configDir: path.join(base, 'none') })).toEqual([]);
    expect(await load({ configDir: undefined })).toEqual([]);
  });

  test.each(['policy.yaml', 'policy.yml', 'policy.json'])(
    '%s of the configuration folder is weaker than --policy',
    async (name) => {
      const { load, put, config, other } = places();
      const [own, file] = [put(config, name, '{"version": 1}'), put(other, 'team.yaml')];
      expect((await load({ file })).map(({ origin }) => origin)).toEqual([own, file]);
    },
  );

  test('two in the configuration folder are refused', async () => {
    const { load, put, config } = places();
    put(config, 'policy.yaml');
    put(config, 'policy.json', '{"version": 1}');
    await expect(load()).rejects.toMatchObject({
      code: 'policy',
      message: `There are several policies in ${config}: policy.yaml, policy.json.`,
    });
  });

  test('one that leads nowhere is not taken for none', async () => {
    const { load, config } = places();
    symlinkSync('/nonexistent/policy.yaml', path.join(config, 'policy.yaml'));
    await expect(load()).rejects.toMatchObject({ message: expect.stringContaining('policy.yaml does not exist') });
  });

  test('one that is a link to elsewhere, as dotfiles often are, is taken', async () => {
    const { load, put, config, other } = places();
    symlinkSync(put(other, 'dotfiles.yaml'), path.join(config, 'policy.yaml'));
    expect(await load()).toHaveLength(1);
  });

  test('several problems of one are one error that says where to see them all', async () => {
    const { load, put, other } = places();
    const file = put(other, 'wrong.yaml', 'version: 1\naskk: {}\nlimts: {}\n');
    await expect(load({ file })).rejects.toMatchObject({
      message: expect.stringContaining('wrong.yaml:2:1: unknown key "askk"'),
      hint: 'One more problem is shown by: pi-sandbox policy check.',
    });
  });

  test('files of the repository have no say by themselves', async () => {
    const { load, put, repo } = places();
    for (const name of ['policy.yaml', '.pi-sandbox/policy.yaml', '.config/pi-sandbox/policy.yaml']) put(repo, name);
    expect(await load()).toEqual([]);
  });
});

describe('a repository cannot choose its own policy (D13)', () => {
  test.each([
    ['a file in it', ({ repo, put }) => put(repo, 'policy.yaml')],
    [
      'a file in it, by a way round',
      ({ repo, other, put }) => `${other}/../home/code/repo/${path.basename(put(repo, 'p.yaml'))}`,
    ],
    ['a link to a file in it', ({ repo, other, put }) => link(put(repo, 'p.yaml'), `${other}/team.yaml`)],
    ['a link in it to a file of the user', ({ repo, other, put }) => link(put(other, 'lax.yaml'), `${repo}/team.yaml`)],
    [
      'a file behind a folder that is a link in it',
      ({ repo, other, put }) => `${link(path.dirname(put(other, 'lax.yaml')), `${repo}/d`)}/lax.yaml`,
    ],
    [
      'a file in a folder that is a link to it',
      ({ repo, other, put }) => `${link(path.dirname(put(repo, 'p.yaml')), `${other}/d`)}/p.yaml`,
    ],
    [
      'a link over a link in it to a file of the user',
      ({ repo, other, put }) => link(link(put(other, 'lax.yaml'), `${repo}/l`), `${other}/team.yaml`),
    ],
    [
      'a link out of a folder of it',
      ({ repo, other, put }) =>
        link(`${repo}/sub/../../../../other/${path.basename(put(other, 'lax.yaml'))}`, `${other}/team.yaml`),
    ],
  ] satisfies [string, (where: ReturnType<typeof places>) => string][])('%s is refused', async (_what, make) => {
    const where = places();
    mkdirSync(path.join(where.repo, 'sub'));
    const error = await where.load({ file: make(where) }).catch((thrown: unknown) => thrown);
    expect(error).toMatchObject({ code: 'policy', exitCode: 2, hint: expect.stringContaining('~/.config/pi-sandbox') });
    expect((error as Error).message).toContain(`lies in the repository ${where.repo}, or is reached through it`);
  });

  test('with the repository counts the whole git repository that the folder is part of', async () => {
    const { load, put, repo } = places();
    mkdirSync(path.join(path.dirname(repo), '.git'));
    const file = put(path.dirname(repo), 'team.yaml');
    await expect(load({ file })).rejects.toMatchObject({ message: expect.stringContaining('lies in the repository') });
  });

  test('but not the home folder, which some keep under git', async () => {
    const { load, put, home, config } = places();
    mkdirSync(path.join(home, '.git'));
    put(config, 'policy.yaml');
    expect(await load()).toHaveLength(1);
  });

  test('nor may the configuration folder lie in it, even an empty one', async () => {
    const { load, repo } = places();
    const configDir = path.join(repo, '.config/pi-sandbox');
    await expect(load({ configDir })).rejects.toMatchObject({
      message: expect.stringContaining(`The configuration folder ${configDir} lies in the repository`),
    });
  });

  test('a folder beside it with a name that starts alike is not in it', async () => {
    const { load, put, repo } = places();
    expect(await load({ file: put(`${repo}-policies`, 'team.yaml') })).toHaveLength(1);
  });
});

describe('a policy that somebody else could change is refused', () => {
  test.each([
    ['the group', 0o620, '620'],
    ['everybody', 0o602, '602'],
  ])('by %s', async (_who, mode, shown) => {
    const { load, put, other } = places();
    const file = put(other, 'team.yaml');
    chmodSync(file, mode);
    await expect(load({ file })).rejects.toMatchObject({
      code: 'policy',
      message: `Others than you may write to the policy ${file} (mode ${shown}).`,
      hint: 'Run chmod go-w on it.',
    });
  });

  test.runIf(process.getuid?.() === 0)('by its owner, who is neither the user nor root', async () => {
    const { load, put, other } = places();
    const file = put(other, 'team.yaml');
    chownSync(file, 12_345, 0);
    await expect(load({ file })).rejects.toMatchObject({
      message: expect.stringContaining('belongs to user id 12345'),
    });
  });

  test('read access for others is no matter', async () => {
    const { load, put, other } = places();
    const file = put(other, 'team.yaml');
    chmodSync(file, 0o644);
    expect(await load({ file })).toHaveLength(1);
  });
});

describe('what is no file of a sensible size is refused at once', () => {
  test.each([
    ['nothing', () => '/nonexistent/team.yaml', 'does not exist'],
    ['a folder', ({ other }) => other, 'it is a folder'],
    ['a device', () => '/dev/zero', 'it is not a regular file'],
    ['a loop of links', ({ other }) => link(`${other}/l`, `${other}/l`), 'too many links'],
    [
      'a large file',
      ({ other, put }) => put(other, 'p.yaml', `version: 1\n#${'x'.repeat(MAX_POLICY_BYTES)}`),
      'it has more than 128 KiB',
    ],
  ] satisfies [string, (where: ReturnType<typeof places>) => string, string][])('%s', async (_what, make, says) => {
    const where = places();
    await expect(where.load({ file: make(where) })).rejects.toMatchObject({
      code: 'policy',
      message: expect.stringContaining(says),
    });
  });
});

function link(target: string, file: string): string {
  symlinkSync(target, file);
  return file;
}
