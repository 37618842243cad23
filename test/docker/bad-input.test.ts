import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, chownSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { type CliOptions, scenario, tempFolder } from '../support/cli.ts';
import { testEngine } from '../support/engine.ts';
import { engineProxy } from '../support/engine-proxy.ts';
import { fakeEngine } from '../support/fake-engine.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { filesBelow, type Lab, lab } from '../support/lab.ts';

const MiB = 1024 * 1024;
const AS_ROOT = process.getuid?.() === 0;
/** Root may do what it wants with files; without capabilities it is a user like any other. */
const NO_POWERS = AS_ROOT ? ['setpriv', '--bounding-set=-all', '--inh-caps=-all', '--no-new-privs'] : [];

let engine: Engine;

beforeAll(async () => {
  await imageReady();
  engine = await testEngine();
}, IMAGE_MS);

interface Bad {
  readonly name: string;
  readonly exit: number;
  /** What the one paragraph must say: what, to what, why, and what to do. */
  readonly says: readonly (string | RegExp)[];
  /** All arguments, or more options for a run that would work without them. */
  readonly args?: (home: Lab) => readonly string[];
  readonly more?: (home: Lab) => readonly string[];
  readonly options?: (home: Lab) => CliOptions;
}

const model = () => scenario('turns: [{ text: done }]');
const good = (home: Lab): string[] => ['run', home.repo, '--model', model()];
const oneOption =
  (...more: string[]) =>
  (): string[] =>
    more;

const ENGINE: readonly Bad[] = [
  {
    name: 'no engine at DOCKER_HOST',
    exit: 5,
    says: ['No container engine answers at /nowhere/engine.sock', 'DOCKER_HOST', /Start Docker/],
    options: () => ({ env: { DOCKER_HOST: 'unix:///nowhere/engine.sock' } }),
  },
  {
    name: 'no engine at a TCP address',
    exit: 5,
    says: ['No container engine answers at 127.0.0.1:9', 'DOCKER_HOST', /Start Docker/],
    options: () => ({ env: { DOCKER_HOST: 'tcp://127.0.0.1:9' } }),
  },
  {
    name: 'an address that is none',
    exit: 5,
    says: ['DOCKER_HOST names ftp://somewhere', /unix:\/\/ and tcp:\/\//],
    options: () => ({ env: { DOCKER_HOST: 'ftp://somewhere' } }),
  },
  {
    name: 'a context that is not there',
    exit: 5,
    says: ['context "elsewhere"', 'does not exist', 'docker context use'],
    options: () => ({ env: { DOCKER_HOST: undefined, DOCKER_CONTEXT: 'elsewhere', DOCKER_CONFIG: tempFolder() } }),
  },
  {
    name: 'an image that is not there',
    exit: 5,
    says: ['There is no image nobody:made-this', /image build/],
    more: oneOption('--image', 'nobody:made-this'),
  },
];

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
    says: ['prompt on standard input', String(4 * MiB), /file of the repository/],
    args: good,
    options: () => ({ input: Buffer.alloc(5 * MiB, 'x') }),
  },
  {
    name: 'a prompt file over the cap',
    exit: 2,
    says: [/prompt/, String(4 * MiB), /file of the repository/],
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
  { name: 'an open network', exit: 2, says: ['--network open', /no network/], more: oneOption('--network', 'open') },
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

async function expectRefused(home: Lab, { args, more, options, says, exit }: Omit<Bad, 'name'>): Promise<string> {
  const all = args?.(home) ?? [...good(home), ...(more?.(home) ?? []), 'do', 'it'];
  const result = await home.cli(all, options?.(home));
  const paragraph = result.stderr.split('\n').filter((line) => line.startsWith('pi-sandbox: '));
  expect(paragraph, result.stderr).toHaveLength(1);
  expect(result.stderr.trimEnd().split('\n').at(-1), 'nothing follows the paragraph').toBe(paragraph[0]);
  for (const text of says) expect(paragraph[0]).toMatch(text instanceof RegExp ? text : literally(text));
  expect(result.stderr).not.toMatch(/\n\s+at |fault of pi-sandbox/);
  expect(result.stdout).toBe('');
  expect(result.code, result.stderr).toBe(exit);
  expect(await home.containers(engine)).toEqual([]);
  expect(filesBelow(path.join(home.root, 'runs'))).toEqual([]);
  return String(paragraph[0]);
}

function literally(text: string): RegExp {
  return new RegExp(text.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&'));
}

describe.each([
  ['engine and image', ENGINE],
  ['repository', REPOSITORY],
  ['model', MODEL],
  ['prompt', PROMPT],
  ['options', OPTIONS],
] as const)('%s: one paragraph, the right exit code, nothing left behind', (_title, cases) => {
  it.each(cases)('$name', async (bad) => {
    await expectRefused(lab(), bad);
  });
});

describe('an engine that cannot be used', () => {
  it.skipIf(NO_POWERS.length === 0 && !AS_ROOT)('that this user may not use says so (D69)', async () => {
    const proxy = await engineProxy(tempFolder());
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    chmodSync(proxy.host.slice('unix://'.length), 0o000);
    const env = { DOCKER_HOST: proxy.host };
    await expectRefused(lab(), {
      exit: 5,
      says: ['This user may not use the container engine', proxy.host.slice('unix://'.length), /group.*rootless/],
      options: () => ({ env, via: NO_POWERS }),
    });
    // The same socket serves whoever may open it.
    chmodSync(proxy.host.slice('unix://'.length), 0o600);
    const home = lab();
    expect(await home.cli([...good(home), '--dry-run', 'do', 'it'], { env, via: NO_POWERS })).toMatchObject({
      code: 0,
    });
  });

  it('that is too old is told apart, and asked nothing that it does not speak (D70)', async () => {
    const fake = await fakeEngine(tempFolder(), { Version: '19.03.15', ApiVersion: '1.40', MinAPIVersion: '1.12' });
    onTestFinished(() => fake[Symbol.asyncDispose]());
    await expectRefused(lab(), {
      exit: 5,
      says: ['19.03.15', 'speaks API 1.40', 'needs 1.41 or newer', /Update the engine/],
      options: () => ({ env: { DOCKER_HOST: fake.host } }),
    });
    expect(new Set(fake.requests)).toEqual(new Set(['GET /version', 'GET /info']));
  });

  it('that refuses old versions is spoken to in its own, a newer one in the newest that we know (D70)', async () => {
    for (const [ApiVersion, spoken] of [
      ['1.44', '1.44'],
      ['1.49', '1.49'],
      ['1.99', '1.51'],
    ] as const) {
      const fake = await fakeEngine(tempFolder(), { Version: '29.0.0', ApiVersion, MinAPIVersion: '1.44' });
      onTestFinished(() => fake[Symbol.asyncDispose]());
      await expectRefused(lab(), {
        exit: 5,
        says: ['There is no image nobody:made-this', /image build/],
        more: oneOption('--image', 'nobody:made-this'),
        options: () => ({ env: { DOCKER_HOST: fake.host } }),
      });
      expect(fake.requests).toContain(`GET /v${spoken}/images/nobody:made-this/json`);
    }
  });

  it('that has moved on beyond what we know says which side must be updated (D70)', async () => {
    const fake = await fakeEngine(tempFolder(), { Version: '40.0.0', ApiVersion: '1.80', MinAPIVersion: '1.70' });
    onTestFinished(() => fake[Symbol.asyncDispose]());
    await expectRefused(lab(), {
      exit: 5,
      says: ['wants API 1.70 at least', 'Update pi-sandbox'],
      options: () => ({ env: { DOCKER_HOST: fake.host } }),
    });
  });

  it('is not on this machine, so nothing can be mounted', async () => {
    const fake = await tcpEngine();
    await expectRefused(lab(), {
      exit: 2,
      says: ['"mount" needs an engine on this machine', '--workspace copy'],
      more: oneOption('--workspace', 'mount'),
      options: () => ({ env: { DOCKER_HOST: fake } }),
    });
  });
});

/** The engine at a TCP address, as a remote one would be. */
async function tcpEngine(): Promise<string> {
  const proxy = await engineProxy(tempFolder(), { tcp: true });
  onTestFinished(() => proxy[Symbol.asyncDispose]());
  return proxy.host;
}

describe('an engine that is somewhere else is found as the docker command finds it (D69)', () => {
  const none = {
    DOCKER_HOST: undefined,
    DOCKER_CONTEXT: undefined,
    DOCKER_CONFIG: undefined,
    XDG_RUNTIME_DIR: undefined,
  };

  async function expectUsed(
    env: (folder: string, host: string) => CliOptions['env'],
    socketFolder = (folder: string) => folder,
  ): Promise<void> {
    const folder = tempFolder();
    mkdirSync(socketFolder(folder), { recursive: true });
    const proxy = await engineProxy(socketFolder(folder));
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const home = lab();
    const result = await home.cli([...good(home), 'do', 'it'], { env: { ...none, ...env(folder, proxy.host) } });
    expect(result.code, result.stderr).toBe(0);
    expect(proxy.requests).toContain('GET /version');
    expect(
      proxy.requests.some((request) => request.startsWith('POST ') && request.endsWith('/containers/create?')),
    ).toBe(true);
  }

  it('DOCKER_HOST', () => expectUsed((_folder, host) => ({ DOCKER_HOST: host })));

  it('the current context', () => expectUsed((folder, host) => ({ DOCKER_CONFIG: contextConfig(folder, host, true) })));

  it('the context that DOCKER_CONTEXT names', () =>
    expectUsed((folder, host) => ({ DOCKER_CONFIG: contextConfig(folder, host, false), DOCKER_CONTEXT: 'elsewhere' })));

  it('over TCP', async () => {
    const home = lab();
    const result = await home.cli([...good(home), 'do', 'it'], { env: { DOCKER_HOST: await tcpEngine() } });
    expect(result.code, result.stderr).toBe(0);
  });
});

/** A configuration of the docker command with a context named "elsewhere". */
function contextConfig(folder: string, host: string, current: boolean): string {
  const id = createHash('sha256').update('elsewhere').digest('hex');
  const meta = path.join(folder, 'contexts/meta', id);
  mkdirSync(meta, { recursive: true });
  const Endpoints = { docker: { Host: host, SkipTLSVerify: false } };
  writeFileSync(path.join(meta, 'meta.json'), JSON.stringify({ Name: 'elsewhere', Metadata: {}, Endpoints }));
  writeFileSync(
    path.join(folder, 'config.json'),
    JSON.stringify(current ? { currentContext: 'elsewhere' } : { auths: {} }),
  );
  return folder;
}

describe('an image that does not fit', () => {
  it('is refused when it is no image of ours, whatever its name', async () => {
    const name = `pi-sandbox-test-foreign:${process.pid}`;
    const base = execFileSync('tar', ['-c', '-T', '/dev/null']);
    execFileSync('docker', ['import', '-', name], { input: base, stdio: ['pipe', 'ignore', 'inherit'] });
    onTestFinished(() => void execFileSync('docker', ['rmi', name], { stdio: 'ignore' }));
    await expectRefused(lab(), { exit: 5, says: [name, /image build/], more: oneOption('--image', name) });
  });
});

describe('a state folder that cannot be used', () => {
  const state: readonly Bad[] = [
    {
      name: 'is a link',
      exit: 5,
      says: ['/pi-sandbox cannot be used', 'symbolic link', 'XDG_STATE_HOME'],
      args: (home) => {
        symlinkSync(tempFolder(), home.root);
        return [...good(home), 'do', 'it'];
      },
    },
    {
      name: 'is open to others',
      exit: 5,
      says: ['others may write to it', 'chmod 700'],
      args: (home) => {
        mkdirSync(home.root);
        chmodSync(home.root, 0o777);
        return [...good(home), 'do', 'it'];
      },
    },
    {
      name: 'is a file',
      exit: 5,
      says: ['/pi-sandbox cannot be used', 'not a folder'],
      args: (home) => {
        writeFileSync(home.root, '');
        return [...good(home), 'do', 'it'];
      },
    },
    {
      name: 'cannot be written to',
      exit: 5,
      says: ['Cannot create', 'EACCES', 'XDG_STATE_HOME'],
      args: (home) => {
        chmodSync(path.dirname(home.root), 0o500);
        return [...good(home), 'do', 'it'];
      },
      options: () => ({ via: NO_POWERS }),
    },
    {
      name: 'has too long a path for a socket',
      exit: 5,
      says: ['control socket', 'bytes', 'shorter path'],
      options: (home) => ({ env: { XDG_STATE_HOME: path.join(path.dirname(home.root), 'x'.repeat(90)) } }),
    },
  ];
  it.each(state)('$name', async (bad) => {
    await expectRefused(lab(), bad);
  });

  it.skipIf(!AS_ROOT)("is somebody else's", async () => {
    await expectRefused(lab(), {
      exit: 5,
      says: ['belongs to user id 12345', 'not to you', 'XDG_STATE_HOME'],
      args: (home) => {
        mkdirSync(home.root, { mode: 0o700 });
        chownSync(home.root, 12345, 12345);
        return [...good(home), 'do', 'it'];
      },
    });
  });

  it.skipIf(!AS_ROOT)('has no room for a run', async () => {
    const home = lab();
    const state = path.dirname(home.root);
    smallDisk(state, '64k');
    writeFileSync(path.join(state, 'ballast'), Buffer.alloc(60 * 1024));
    await expectRefused(home, { exit: 5, says: ['ENOSPC', 'free space'] });
  });

  it.skipIf(!AS_ROOT)(
    'that fills up while a run goes on costs the records, said once, and never a complete one (D81)',
    async () => {
      const home = lab();
      const state = path.dirname(home.root);
      smallDisk(state, '1m');
      const turn = `{ tools: [{ name: bash, arguments: { command: "seq 1 6000" } }] }`;
      const result = await home.run(`turns: [${Array(30).fill(turn).join(', ')}, { text: done }]`).ended;
      expect(result.stderr.match(/cannot be written/g)).toHaveLength(1);
      expect(result.stderr).not.toMatch(/\n\s+at /);
      expect(await home.containers(engine)).toEqual([]);
      const records = home.records();
      const numbers = records.map(({ seq }) => seq);
      expect(numbers).toEqual([...new Set(numbers)].sort((a, b) => a - b));
      // What was asked of the model must be on record, so the run cannot go on; how it ended still is.
      expect(result.code).toBe(5);
      expect(result.stderr).toMatch(/sandbox failed: .*(ledger|ENOSPC)/);
      expect(records.at(-1)).toMatchObject({ type: 'outcome', outcome: 'sandbox_failed', exitCode: 5 });
      const ls = await home.cli(['ls', '--json']);
      expect(JSON.parse(ls.stdout)).toMatchObject({ state: 'sandbox_failed' });
    },
  );
});

/** A file system of its own at a folder, so that it can be full. */
function smallDisk(folder: string, size: string): void {
  execFileSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=0700`, 'pi-sandbox-test', folder]);
  onTestFinished(() => void execFileSync('umount', ['-l', folder]));
}

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
