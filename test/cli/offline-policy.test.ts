import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import { strictParse } from '../../src/lib/strict-parse.ts';
import { Policy } from '../../src/protocol/policy.ts';
import { offline } from '../support/offline.ts';

const TEAM = path.join(import.meta.dirname, '../../examples/policies/team.yaml');

/** A home with a repository, and the command line without engine. */
function desk() {
  const { home, run } = offline();
  const repo = path.join(home, 'repo');
  mkdirSync(repo);
  writeFileSync(path.join(repo, 'README.md'), 'hello\n');
  const config = path.join(home, 'config');
  const env = { HOME: home, XDG_CONFIG_HOME: config };
  const put = (name: string, text: string): string => {
    const file = path.join(home, name);
    mkdirSync(path.dirname(file), { recursive: true });
    writeFileSync(file, text, { mode: 0o600 });
    return file;
  };
  const cli = (...args: string[]) => run(args, { env, cwd: home });
  /** A run that would start if an engine were there. */
  const start = (...args: string[]) => cli('run', 'repo', 'hi', '--model', 'scripted:none.yaml', ...args);
  return { home, repo, put, cli, start };
}

describe('policy check', () => {
  test('says of a file that fits what it holds', async () => {
    const { cli } = desk();
    expect(await cli('policy', 'check', TEAM)).toMatchObject({
      code: 0,
      stdout: `${TEAM}: fits; profile edit, 6 rules of its own.\n`,
    });
  });

  test('has one line for each problem of all files, and exit code 2', async () => {
    const { cli, put } = desk();
    put('a.yaml', 'version: 1\nlimits: {memory: lots}\ncommnds: {}\n');
    put('b.yaml', 'version: 1\noff: [no-such-rule]\n');
    const { code, stdout, stderr } = await cli('policy', 'check', 'a.yaml', TEAM, 'b.yaml');
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(stdout.split('\n').map((line) => line.replace(/^(\S+) .*$/, '$1'))).toEqual([
      'a.yaml:2:18:',
      'a.yaml:3:1:',
      `${TEAM}:`,
      'b.yaml:2:7:',
      '',
    ]);
  });

  test.each([
    [
      'a file that is not there',
      'none.yaml',
      /^The policy none\.yaml does not exist\. Relative names start at the current folder/,
    ],
    ['a folder', 'repo', /^The policy repo cannot be read: it is a folder\. Name the file itself\.\n$/],
    ['an empty file', 'empty.yaml', /^empty\.yaml:1:1: the file is empty\. A policy needs at least "version: 1"\.\n$/],
    ['tabs', 'tabs.yaml', /^tabs\.yaml:3:1: a tab cannot indent; use blanks\.\n/],
    ['another version', 'v2.yaml', /^v2\.yaml:1:10: version: this pi-sandbox reads version 1, not 2\.\n$/],
    ['yes and no', 'yes.yaml', /^yes\.yaml:2:20: redaction\.known: "yes" is text here; write true\.\n$/],
    ['escape codes in a key', 'esc.yaml', /^esc\.yaml:2:1: unknown key "[^\x1b]*"/],
  ])('%s is refused in words', async (_what, name, expected) => {
    const { cli, put } = desk();
    put('empty.yaml', '');
    put('tabs.yaml', 'version: 1\ntools:\n\tselect: read\n');
    put('v2.yaml', 'version: 2\nnew: things\n');
    put('yes.yaml', 'version: 1\nredaction: {known: yes}\n');
    put('esc.yaml', 'version: 1\n"\\e[31mx": 1\n');
    const { code, stdout, stderr } = await cli('policy', 'check', name);
    expect({ code, stderr }).toEqual({ code: 2, stderr: '' });
    expect(stdout).toMatch(expected);
  });

  test('warns of a file that a run would refuse for its permissions, and judges its content', async () => {
    const { cli, put } = desk();
    chmodSync(put('open.yaml', 'version: 1\n'), 0o666);
    const { code, stdout, stderr } = await cli('policy', 'check', 'open.yaml');
    expect({ code, stdout }).toEqual({ code: 0, stdout: 'open.yaml: fits; profile edit, 0 rules of its own.\n' });
    expect(stderr).toContain('a run would refuse this file: Others than you may write');
  });
});

describe('policy show', () => {
  test('prints values with their origins, in the form of a file', async () => {
    const { cli, put } = desk();
    const own = put('config/pi-sandbox/policy.yml', 'version: 1\nlimits: {pids: 99}\noff: [secret-keys]\n');
    const { code, stdout, stderr } = await cli('policy', 'show', '--policy', TEAM, '--tools', '-bash');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    expect(stdout).toContain(`  pids: 99 # ${own}:2\n`);
    expect(stdout).toMatch(/^ {2}timeout: 2m # .*team\.yaml:\d+$/m);
    expect(stdout).toMatch(/^ {2}maxBashTimeout: 10m # .*team\.yaml:\d+$/m);
    expect(stdout).toContain('  idleTimeout: 20m # built in\n');
    expect(stdout).toContain(`-write: ${TEAM}:9; -bash: option --tools\n`);
    expect(stdout).toMatch(/- id: team-publish # .*team\.yaml:\d+\n/);
    expect(stdout).toContain(`# Off: secret-keys (${own}:3).`);
    expect(parse(stdout)).toMatchObject({
      extends: 'edit',
      tools: { select: 'read,edit,grep,find,ls' },
      limits: { memory: '4g' },
    });
  });

  test('as JSON is the effective policy that a run would keep', async () => {
    const { cli } = desk();
    const { stdout } = await cli('policy', 'show', '--profile', 'triage', '--json');
    const parsed = strictParse(Policy, JSON.parse(stdout));
    expect(parsed.ok && parsed.value.profile).toBe('triage');
  });

  test.each([
    [['--profile', 'reviwe'], '--profile: "reviwe" is none of edit, review, triage; did you mean "review"?'],
    [['--tools', '+bahs'], '--tools: pi has no tool "bahs". Did you mean "bash"?'],
    [['--policy', 'none.yaml'], 'none.yaml does not exist.'],
    [['--policy', 'a.yaml', '--policy', 'b.yaml'], '--policy is given twice: a.yaml and b.yaml. Give it once.'],
  ])('%s is refused', async (args, says) => {
    const { code, stdout, stderr } = await desk().cli('policy', 'show', ...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).toMatch(/^pi-sandbox: .*\n$/);
  });
});

describe('a run is refused before anything starts, with exit code 2', () => {
  test.each([
    [
      'for a policy that is wrong, in place and words',
      ['--policy', 'bad.yaml'],
      'bad.yaml:2:1: unknown key "limts", did you mean "limits"?',
    ],
    ['for one that is not there', ['--policy', 'none.yaml'], 'none.yaml does not exist.'],
    [
      'for one in the repository',
      ['--policy', 'repo/policy.yaml'],
      'whoever writes the repository could weaken its own sandbox',
    ],
    ['for one given twice', ['--policy', 'bad.yaml', '--policy', 'bad.yaml'], '--policy is given twice'],
    [
      'for a model that the policy does not allow',
      ['--policy', 'models.yaml'],
      'does not allow the model "scripted:none.yaml": models.allow names anthropic/*. It is set in ',
    ],
  ])('%s', async (_what, args, says) => {
    const { start, put } = desk();
    put('bad.yaml', 'version: 1\nlimts: {}\n');
    put('repo/policy.yaml', 'version: 1\n');
    put('models.yaml', 'version: 1\nmodels: {allow: ["anthropic/*"]}\n');
    const { code, stdout, stderr } = await start(...args);
    expect({ code, stdout }).toEqual({ code: 2, stdout: '' });
    expect(stderr).toContain(says);
    expect(stderr).not.toMatch(/\n\s+at /);
  });

  test("for the user's own policy, too", async () => {
    const { start, put } = desk();
    const own = put('config/pi-sandbox/policy.yaml', 'version: 1\nmodels: {allow: []}\n');
    const { code, stderr } = await start();
    expect(code).toBe(2);
    expect(stderr).toContain(`models.allow names no model at all. It is set in ${own}:2; choose one that it allows`);
  });

  test('for a configuration folder that the repository brought along', async () => {
    const { home, repo, put } = desk();
    put('repo/.config/pi-sandbox/policy.yaml', 'version: 1\n');
    const env = { HOME: home, XDG_CONFIG_HOME: path.join(repo, '.config') };
    const { code, stderr } = await offline().run(['run', repo, 'hi', '--model', 'scripted:x.yaml'], { env });
    expect(code).toBe(2);
    expect(stderr).toContain('The configuration folder');
  });
});

test('the example of the documentation names the schema that editors check it with', () => {
  const [, name] = /\$schema=(\S+)/.exec(readFileSync(TEAM, 'utf8')) ?? [];
  const schema: unknown = JSON.parse(readFileSync(path.resolve(path.dirname(TEAM), name ?? ''), 'utf8'));
  expect(schema).toMatchObject({ $id: 'pi-sandbox/policy.schema.json', properties: { version: { const: 1 } } });
});
