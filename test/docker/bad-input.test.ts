import { chmodSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { scenario, tempFolder } from '../support/cli.ts';
import { testEngine } from '../support/engine.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { lab } from '../support/lab.ts';
import { type Bad, expectRefused, good, model, NO_POWERS, oneOption } from '../support/refused.ts';

const MiB = 1024 * 1024;
let engine: Engine;

beforeAll(async () => {
  await imageReady();
  engine = await testEngine();
}, IMAGE_MS);

const REPOSITORY: readonly Bad[] = [
  {
    name: 'a repository that is not there',
    exit: 2,
    says: ['/missing cannot be opened', 'does not exist', /Name the folder/],
    args: (home) => ['run', `${home.repo}/missing`, '--model', model(), 'do', 'it'],
  },
  {
    name: 'a repository that is a file',
    exit: 2,
    says: ['README.md cannot be used', 'not a folder', /Name the folder/],
    args: (home) => ['run', `${home.repo}/README.md`, '--model', model(), 'do', 'it'],
  },
  {
    name: 'the home folder',
    exit: 2,
    says: ['it is your home folder', /Name the folder/],
    args: () => ['run', homedir(), '--model', model(), 'do', 'it'],
  },
  {
    name: 'the whole file system',
    exit: 2,
    says: ['it is the whole file system', /Name the folder/],
    args: () => ['run', '/', '--model', model(), 'do', 'it'],
  },
  {
    name: 'the folder of our own runs',
    exit: 2,
    says: ['where pi-sandbox keeps its runs', /Name the folder/],
    args: (home) => ['run', path.dirname(home.root), '--model', model(), 'do', 'it'],
  },
  {
    name: 'a repository whose files this user may not list',
    exit: 2,
    says: ['cannot be read', 'permission is denied'],
    args: (home) => {
      chmodSync(home.repo, 0o000);
      return ['run', home.repo, '--model', model(), 'do', 'it'];
    },
    options: () => ({ via: NO_POWERS }),
  },
];

const MODEL: readonly Bad[] = [
  {
    name: 'a model that nobody has, with the nearest',
    exit: 2,
    says: ['claude-haiku-4-6', /claude-haiku-4-5/],
    args: (home) => ['run', home.repo, '--model', 'anthropic/claude-haiku-4-6', 'do', 'it'],
    options: () => ({ env: { ANTHROPIC_API_KEY: 'sk-ant-none' } }),
  },
  {
    name: 'a provider that nobody has, with the nearest',
    exit: 2,
    says: ['antropic', /anthropic/],
    args: (home) => ['run', home.repo, '--model', 'antropic/claude-haiku-4-5', 'do', 'it'],
  },
  {
    name: 'a model without a provider',
    exit: 2,
    says: ['"gpt" does not name a model', /provider\/model/],
    args: (home) => ['run', home.repo, '--model', 'gpt', 'do', 'it'],
  },
  {
    name: 'no model',
    exit: 2,
    says: ['No model is named', /--model/],
    args: (home) => ['run', home.repo, 'do', 'it'],
    options: () => ({ env: { PI_SANDBOX_MODEL: undefined } }),
  },
  {
    name: 'no credentials',
    exit: 2,
    says: ['anthropic', /ANTHROPIC_API_KEY/],
    args: (home) => ['run', home.repo, '--model', 'anthropic/claude-haiku-4-5', 'do', 'it'],
    options: () => ({
      env: { ANTHROPIC_API_KEY: undefined, ANTHROPIC_OAUTH_TOKEN: undefined, HOME: tempFolder() },
    }),
  },
  {
    name: 'a scenario that is not there',
    exit: 2,
    says: ['nowhere.yaml', /ENOENT|does not exist|no such/],
    args: (home) => ['run', home.repo, '--model', 'scripted:nowhere.yaml', 'do', 'it'],
  },
  {
    name: 'a scenario that is no YAML',
    exit: 2,
    says: ['scenario.yaml', /line \d/],
    args: (home) => ['run', home.repo, '--model', scenario('turns: [{ text: "open'), 'do', 'it'],
  },
  {
    name: 'a scenario with an unknown key, with the nearest',
    exit: 2,
    says: ['turns.0.texd', 'did you mean "text"'],
    args: (home) => ['run', home.repo, '--model', scenario('turns: [{ texd: hello }]'), 'do', 'it'],
  },
  {
    name: 'a scenario with a wrong type',
    exit: 2,
    says: ['turns.0.tools', /array|list/i],
    args: (home) => ['run', home.repo, '--model', scenario('turns: [{ tools: bash }]'), 'do', 'it'],
  },
];

const PROMPT: readonly Bad[] = [
  {
    name: 'no prompt on standard input',
    exit: 2,
    says: ['There is no prompt', /--prompt-file/],
    args: good,
    options: () => ({ input: '  \n' }),
  },
  {
    name: 'an empty prompt',
    exit: 2,
    says: ['There is no prompt', /--prompt-file/],
    args: (home) => [...good(home), ' '],
  },
  {
    name: 'a prompt over the cap on standard input',
    exit: 2,
    says: ['prompt on standard input', 'at most 4 MiB', /file of the repository/],
    args: good,
    options: () => ({ input: Buffer.alloc(5 * MiB, 'x') }),
  },
  {
    name: 'a prompt file over the cap',
    exit: 2,
    says: [/prompt/, 'at most 4 MiB', /file of the repository/],
    args: (home) => [...good(home), '--prompt-file', fileOf(Buffer.alloc(5 * MiB, 'x'))],
  },
  {
    name: 'a prompt that is not UTF-8',
    exit: 2,
    says: ['standard input is not UTF-8'],
    args: good,
    options: () => ({ input: Buffer.from([0x68, 0x69, 0xff, 0xfe]) }),
  },
  {
    name: 'a prompt file that is not there',
    exit: 2,
    says: ['/nowhere.md cannot be read', 'ENOENT'],
    args: (home) => [...good(home), '--prompt-file', '/nowhere.md'],
  },
  {
    name: 'two prompts',
    exit: 2,
    says: ['given twice', '--prompt-file'],
    args: (home) => [...good(home), '--prompt-file', fileOf('one'), 'two'],
  },
];

const OPTIONS: readonly Bad[] = [
  {
    name: 'an unknown profile',
    exit: 2,
    says: ['profile', 'edit, review, triage', 'did you mean "edit"'],
    more: oneOption('--profile', 'edti'),
  },
  {
    name: 'an unknown workspace',
    exit: 2,
    says: ['workspace', 'copy, mount'],
    more: oneOption('--workspace', 'overlay'),
  },
  { name: 'an unknown tool', exit: 2, says: ['"bahs"', /bash/], more: oneOption('--tools', 'bahs') },
  { name: 'a size that is none', exit: 2, says: ['--memory', '2x', /512m or 2g/], more: oneOption('--memory', '2x') },
  {
    name: 'too little memory',
    exit: 2,
    says: ['--memory 16777216', 'could not start'],
    more: oneOption('--memory', '16m'),
  },
  { name: 'too few processes', exit: 2, says: ['--pids 5', 'could not start'], more: oneOption('--pids', '5') },
  {
    name: 'a thinking level that is none',
    exit: 2,
    says: ['thinking', '"hihg"', 'did you mean "high"'],
    more: oneOption('--thinking', 'hihg'),
  },
  { name: 'a disk too small', exit: 2, says: [/--disk/], more: oneOption('--disk', '1k') },
  {
    name: 'a duration that is none',
    exit: 2,
    says: ['--timeout', 'soon', /10m/],
    more: oneOption('--timeout', 'soon'),
  },
  { name: 'a duration of nothing', exit: 2, says: [/timeout/i, /0/], more: oneOption('--timeout', '0s') },
  {
    name: 'a duration beyond all clocks',
    exit: 2,
    says: ['--timeout 99999h', '24 days'],
    more: oneOption('--timeout', '99999h'),
  },
  { name: 'processors below zero', exit: 2, says: ['--cpus', '-1'], more: oneOption('--cpus=-1') },
  { name: 'half a process', exit: 2, says: ['--pids', '1.5'], more: oneOption('--pids', '1.5') },
  { name: 'turns that are no number', exit: 2, says: ['--max-turns', 'many'], more: oneOption('--max-turns', 'many') },
  { name: 'a network of another kind', exit: 2, says: ['--network', /open/], more: oneOption('--network', 'host') },
  { name: 'a wildcard', exit: 2, says: ['--allow *.example', /one by one/], more: oneOption('--allow', '*.example') },
  {
    name: 'a runtime that the engine has not',
    exit: 2,
    says: ['no runtime nonesuch', 'runc'],
    more: oneOption('--runtime', 'nonesuch'),
  },
];

function fileOf(content: string | Buffer): string {
  const file = path.join(tempFolder(), 'prompt.md');
  writeFileSync(file, content);
  return file;
}

describe.each([
  ['repository', REPOSITORY],
  ['model', MODEL],
  ['prompt', PROMPT],
  ['options', OPTIONS],
] as const)('%s: one paragraph, the right exit code, nothing left behind', (_title, cases) => {
  it.each(cases)('$name', async (bad) => {
    await expectRefused(engine, lab(), bad);
  });
});

describe('input that is unusual and works', () => {
  it('an empty repository, a repository without git, and a prompt of 1 MB', async () => {
    const home = lab();
    rmSync(path.join(home.repo, 'README.md'));
    const prompt = `${'word '.repeat(200_000)}end`;
    const text = 'model: { contextWindow: 2000000 }\nturns: [{ text: done }]';
    const result = await home.cli(['run', home.repo, '--model', scenario(text), '--prompt-file', fileOf(prompt)]);
    expect(result.code, result.stderr).toBe(0);
    expect(home.records()).toContainEqual(expect.objectContaining({ type: 'imported', files: 0 }));
    const sent = home.records().find(({ type }) => type === 'gateway.request');
    expect(sent?.['bytes']).toBeGreaterThan(prompt.length);
  });

  it('files that this user may not read are left out, and named', async () => {
    const home = lab();
    writeFileSync(path.join(home.repo, 'locked'), 'secret');
    chmodSync(path.join(home.repo, 'locked'), 0o000);
    const read = `turns: [{ tools: [{ name: bash, arguments: { command: "ls" } }] }, { expect: README.md, expectNot: locked, text: done }]`;
    const result = await home.run(read, [], { via: NO_POWERS }).ended;
    expect(result.code, result.stderr).toBe(0);
    expect(result.stderr).toMatch(/this user may not read it: 1 in all, locked among them/);
  });
});
