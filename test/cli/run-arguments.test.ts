import { execFileSync } from 'node:child_process';
import { mkdirSync, truncateSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { type RunOptions, understand } from '../../src/cli/run-arguments.ts';
import { SandboxError } from '../../src/errors.ts';
import { GiB, MiB } from '../../src/lib/bytes.ts';
import { MAX_PROMPT_BYTES } from '../../src/request/run-request.ts';
import { tempFolder } from '../support/cli.ts';

const before = process.cwd();
let here: string;
beforeEach(() => {
  here = tempFolder();
  mkdirSync(path.join(here, 'repo'));
  process.chdir(here);
});
afterEach(() => process.chdir(before));

const model = { model: 'scripted:s.yaml' };

async function refusal(args: string[], options: RunOptions): Promise<SandboxError> {
  const error = await understand(args, options).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(error).toBeInstanceOf(SandboxError);
  expect((error as SandboxError).exitCode).toBe(2);
  return error as SandboxError;
}

describe('the repository', () => {
  test('is the first argument when it is a folder, the rest is prompt', async () => {
    const { request, repoFrom } = await understand(['repo', 'fix', 'the test'], model);
    expect(request).toMatchObject({ repo: path.join(here, 'repo'), prompt: 'fix the test' });
    expect(repoFrom).toBe('argument');
  });

  test('is the current folder when the first argument is no folder', async () => {
    const { request, repoFrom } = await understand(['fix', 'repo'], model);
    expect(request).toMatchObject({ repo: here, prompt: 'fix repo' });
    expect(repoFrom).toBe('current folder');
  });

  test('is what --repo says, so that a first word which is a folder is prompt', async () => {
    const { request, repoFrom } = await understand(['repo', 'is', 'broken'], { ...model, repo: here });
    expect(request).toMatchObject({ repo: here, prompt: 'repo is broken' });
    expect(repoFrom).toBe('--repo');
  });

  test.each([
    { args: ['rpeo', 'fix it'], doubted: true },
    { args: ['rpeo'], doubted: false },
    { args: ['fix the test', 'now'], doubted: false },
    { args: ['repo', 'fix it'], doubted: false },
  ])('may have been meant by the first word of $args: $doubted', async ({ args, doubted }) => {
    const { doubt } = await understand(args, model);
    if (!doubted) expect(doubt).toBeUndefined();
    else expect(doubt).toMatch(/^"rpeo" is no folder, so it is taken as part of the prompt\. --repo DIR/);
  });

  test.each(['./missing', '/no/such/folder', '../gone'])('%s is a mistyped path and never prompt', async (typed) => {
    const { request } = await understand([typed, 'fix it'], model);
    expect(request).toMatchObject({ repo: path.resolve(typed), prompt: 'fix it' });
  });

  test('a sentence that begins with a slash is prompt', async () => {
    expect((await understand(['/etc/hosts is read twice'], model)).request.repo).toBe(here);
  });

  test('a file is prompt, since only a folder can be a repository', async () => {
    writeFileSync('README', '');
    expect((await understand(['README', 'is wrong'], model)).request.prompt).toBe('README is wrong');
  });
});

describe('the prompt', () => {
  test('comes from a file, byte for byte', async () => {
    writeFileSync('p.md', 'fix\r\nit ä\n');
    expect((await understand(['repo'], { ...model, promptFile: 'p.md' })).request.prompt).toBe('fix\r\nit ä\n');
  });

  test('may not be given twice', async () => {
    writeFileSync('p.md', 'fix');
    expect((await refusal(['repo', 'other'], { ...model, promptFile: 'p.md' })).message).toContain('given twice');
  });

  test.each([
    { what: 'a missing file', name: 'none.md', bytes: undefined, says: 'none.md cannot be read' },
    { what: 'an empty file', name: 'empty.md', bytes: '', says: 'no prompt' },
    { what: 'a file of blanks', name: 'blank.md', bytes: ' \n\t\n', says: 'no prompt' },
    { what: 'bytes that are no UTF-8', name: 'latin1.md', bytes: Buffer.from([0x66, 0xfc]), says: 'not UTF-8' },
    { what: 'a file that is too large', name: 'big.md', bytes: 'x'.repeat(MAX_PROMPT_BYTES + 1), says: 'at most' },
    { what: 'a folder', name: 'repo', bytes: undefined, says: 'repo cannot be read: it is not a regular file' },
    { what: 'a device without end', name: '/dev/zero', bytes: undefined, says: 'it is not a regular file' },
  ])('$what is refused', async ({ name, bytes, says }) => {
    if (bytes !== undefined) writeFileSync(name, bytes);
    expect((await refusal(['repo'], { ...model, promptFile: name })).message).toContain(says);
  });

  test('a FIFO that nobody writes to is refused at once', async () => {
    execFileSync('mkfifo', ['pipe']);
    const { message, hint } = await refusal(['repo'], { ...model, promptFile: 'pipe' });
    expect(message).toContain('pipe cannot be read: it is not a regular file');
    expect(hint).toContain('standard input');
  });

  test('a file larger than memory is refused by its size', async () => {
    writeFileSync('huge', '');
    truncateSync('huge', 2 ** 40);
    expect((await refusal(['repo'], { ...model, promptFile: 'huge' })).message).toContain(
      'huge is too large; at most 4 MiB',
    );
  });
});

describe('options', () => {
  test('become a request in its own units', async () => {
    const { request } = await understand(['x'], {
      ...model,
      timeout: '10m',
      idleTimeout: '90s',
      memory: '2g',
      disk: '512m',
      cpus: '0.5',
      pids: '64',
      maxTurns: '3',
      maxTokens: '200k',
      maxUsd: '$0.50',
      include: ['dist'],
      exclude: ['*.log'],
      acceptWeaker: ['CgroupnsMode'],
      keepOutputs: true,
      network: 'learn',
      allow: ['pypi.example', 'registry.example:8443'],
      profile: 'review',
      workspace: 'mount',
    });
    expect(request).toEqual({
      repo: here,
      prompt: 'x',
      model: 'scripted:s.yaml',
      timeoutMs: 600_000,
      idleTimeoutMs: 90_000,
      memory: 2 * GiB,
      disk: 512 * MiB,
      cpus: 0.5,
      pids: 64,
      maxTurns: 3,
      maxTokens: 200_000,
      maxUsd: 0.5,
      include: ['dist'],
      exclude: ['*.log'],
      acceptWeaker: ['CgroupnsMode'],
      keepOutputs: true,
      network: 'learn',
      allow: ['pypi.example', 'registry.example:8443'],
      profile: 'review',
      workspace: 'mount',
    });
  });

  test.each<{ options: RunOptions; says: string }>([
    { options: {}, says: 'No model' },
    { options: { ...model, network: 'wide' }, says: '--network' },
    { options: { ...model, network: 'none', allow: ['a.example'] }, says: '--allow a.example' },
    { options: { ...model, allow: ['*.example'] }, says: 'without wildcards' },
    { options: { ...model, timeout: 'soon' }, says: '--timeout soon' },
    { options: { ...model, timeout: '0' }, says: '--timeout 0' },
    { options: { ...model, timeout: '-5m' }, says: '--timeout -5m' },
    { options: { ...model, timeout: '' }, says: '--timeout' },
    { options: { ...model, idleTimeout: '1 week' }, says: '--idle-timeout 1 week' },
    { options: { ...model, bashTimeout: '25d' }, says: '--bash-timeout 25d' },
    { options: { ...model, memory: '2 apples' }, says: '--memory 2 apples' },
    { options: { ...model, memory: '99999999999999g' }, says: '--memory' },
    { options: { ...model, disk: '-1' }, says: '--disk -1' },
    { options: { ...model, cpus: '0' }, says: '--cpus 0' },
    { options: { ...model, cpus: 'Infinity' }, says: '--cpus Infinity' },
    { options: { ...model, cpus: 'two' }, says: '--cpus two' },
    { options: { ...model, pids: '1.5' }, says: '--pids 1.5' },
    { options: { ...model, pids: '-1' }, says: '--pids -1' },
    { options: { ...model, maxTurns: '0' }, says: '--max-turns 0' },
    { options: { ...model, maxTokens: '1e400' }, says: '--max-tokens' },
    { options: { ...model, maxTokens: '1.0001k' }, says: '--max-tokens 1.0001k' },
    { options: { ...model, maxUsd: '0' }, says: '--max-usd 0' },
    { options: { ...model, maxUsd: '-1' }, says: '--max-usd -1' },
    { options: { ...model, maxUsd: '5 euros' }, says: '--max-usd 5 euros' },
    { options: { ...model, maxUsd: '1000001' }, says: '--max-usd 1000001' },
    {
      options: { ...model, profile: 'edti' },
      says: '--profile: "edti" is none of edit, review, triage; did you mean "edit"?',
    },
    { options: { ...model, workspace: 'overlay' }, says: '--workspace: ' },
    { options: { ...model, model: '' }, says: '--model: ' },
    { options: { ...model, include: [''] }, says: '--include: ' },
    { options: { ...model, acceptWeaker: [''] }, says: '--accept-weaker' },
    { options: { ...model, image: '' }, says: '--image: ' },
    { options: { ...model, thinking: 'hihg' }, says: '--thinking: ' },
    { options: { ...model, baseUrl: '' }, says: '--base-url: ' },
  ])('$options is refused and named', async ({ options, says }) => {
    const { message } = await refusal(['fix'], options);
    expect(message).toContain(says);
    expect(message).toMatch(/[^.?][.?]$/);
    expect(message).not.toContain('at /');
  });
});
