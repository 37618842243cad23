import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { type CliOptions, tempFolder } from '../support/cli.ts';
import { testEngine } from '../support/engine.ts';
import { engineProxy } from '../support/engine-proxy.ts';
import { fakeEngine } from '../support/fake-engine.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';
import { lab } from '../support/lab.ts';
import { AS_ROOT, type Bad, expectRefused, good, NO_POWERS, oneOption } from '../support/refused.ts';

let engine: Engine;

beforeAll(async () => {
  await imageReady();
  engine = await testEngine();
}, IMAGE_MS);

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

describe('no engine, or no image: one paragraph, the right exit code, nothing left behind', () => {
  it.each(ENGINE)('$name', async (bad) => {
    await expectRefused(engine, lab(), bad);
  });
});

describe('an engine that cannot be used', () => {
  it('that this user may not use says so (D69)', async () => {
    const proxy = await engineProxy(tempFolder());
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    chmodSync(proxy.host.slice('unix://'.length), 0o000);
    const env = { DOCKER_HOST: proxy.host };
    await expectRefused(engine, lab(), {
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
    await expectRefused(engine, lab(), {
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
      await expectRefused(engine, lab(), {
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
    await expectRefused(engine, lab(), {
      exit: 5,
      says: ['wants API 1.70 at least', 'Update pi-sandbox'],
      options: () => ({ env: { DOCKER_HOST: fake.host } }),
    });
  });

  it('is not on this machine, so nothing can be mounted', async () => {
    const fake = await tcpEngine();
    await expectRefused(engine, lab(), {
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
    options: CliOptions = {},
  ): Promise<void> {
    const folder = tempFolder();
    const proxy = await engineProxy(folder);
    onTestFinished(() => proxy[Symbol.asyncDispose]());
    const home = lab();
    const result = await home.cli([...good(home), 'do', 'it'], {
      ...options,
      env: { ...none, ...env(folder, proxy.host) },
    });
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

  it.skipIf(!AS_ROOT)('the socket of a rootless engine, where the usual one is missing', () =>
    expectUsed(
      (folder, host) => {
        symlinkSync(host.slice('unix://'.length), path.join(folder, 'docker.sock'));
        return { XDG_RUNTIME_DIR: folder };
      },
      { via: ['unshare', '--mount', 'sh', '-c', 'mount -t tmpfs none "$(realpath /var/run)" && exec "$0" "$@"'] },
    ),
  );

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
    await expectRefused(engine, lab(), { exit: 5, says: [name, /image build/], more: oneOption('--image', name) });
  });
});
