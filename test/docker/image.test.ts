import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { build as bundle } from 'esbuild';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { connectEngine } from '../../src/container/dockerode-client.ts';
import { findEndpoint } from '../../src/container/endpoint.ts';
import type { Engine } from '../../src/container/engine.ts';
import { defaultBase } from '../../src/container/image/base.ts';
import { type BuiltImage, buildImage } from '../../src/container/image/build.ts';
import { imageFacts } from '../../src/container/image/facts.ts';
import { GUEST, SLOT_COUNT, uidPair } from '../../src/protocol/guest.ts';
import { bareImage } from '../support/bare-image.ts';
import { buildSmall, runInImage } from '../support/image-probe.ts';

const run = promisify(execFile);
const ROOT = join(import.meta.dirname, '../..');
const BUILD_MS = 600_000;
/** In npm's environment while images are built; must not be found in any image. */
const CANARY = 'canary-2f6b1c9d-must-not-enter-an-image';

let engine: Engine;
let stateDir: string;
let image: BuiltImage;
const progress: string[] = [];
const madeHere: string[] = [];

function make(options: { from?: string; base?: string; signal?: AbortSignal } = {}): Promise<BuiltImage> {
  const { signal = AbortSignal.timeout(BUILD_MS), ...rest } = options;
  return buildImage({
    engine,
    root: ROOT,
    stateDir,
    env: { ...(process.env as Record<string, string>), CANARY_TOKEN: CANARY, NPM_CONFIG_CANARY: CANARY },
    onProgress: (line) => progress.push(line),
    signal,
    ...rest,
  });
}

/** A variation of an image, removed at the end. */
async function vary(from: string, ...lines: string[]): Promise<string> {
  const { ok, output, tag } = await buildSmall(engine, `FROM ${from}\nUSER root\n${lines.join('\n')}\n`);
  if (!ok) throw new Error(output);
  madeHere.push(tag);
  return tag;
}

async function expectClean(): Promise<void> {
  expect(await readdir(stateDir)).toEqual([]);
}

beforeAll(async () => {
  engine = await connectEngine(await findEndpoint(process.env));
  stateDir = await mkdtemp(join(tmpdir(), 'pi-sandbox-image-test-'));
  image = await make();
}, BUILD_MS);

afterAll(async () => {
  for (const tag of madeHere) await engine.removeImage(tag).catch(() => undefined);
  await rm(stateDir, { recursive: true });
});

describe('the image', () => {
  test('was built with progress, its staging folder is gone, and it declares nothing that acts by itself', async () => {
    expect(progress.some((line) => line.startsWith('Step 1/'))).toBe(true);
    await expectClean();
    const config = imageFacts(image.tag, await engine.inspectImage(image.tag))?.Config;
    expect(config?.Volumes ?? {}).toEqual({});
    expect(config?.OnBuild ?? []).toEqual([]);
    expect(config?.Healthcheck?.Test).toEqual(['NONE']);
  });

  test('has no setuid file, no folder at a mount point, and nothing of ours that others could write', async () => {
    const script = `
      echo "setuid: $(find / -xdev -perm /6000 -type f | wc -l)"
      for folder in ${GUEST.workspace} ${GUEST.home} ${GUEST.spill}; do test -e $folder && echo "exists: $folder"; done
      echo "writable: $(find ${GUEST.root} ! -type l -perm /022 | wc -l)"
      echo "foreign: $(find ${GUEST.root} ! -uid 0 -o ! -gid 0 | wc -l)"
      echo "agent folder: $(ls -A ${GUEST.agentDir} | wc -l)"`;
    const { output } = await runInImage(engine, image.tag, script);
    expect(output).toContain('setuid: 0');
    expect(output).toContain('writable: 0');
    expect(output).toContain('foreign: 0');
    expect(output).toContain('agent folder: 0');
    expect(output).not.toContain('exists:');
  });

  test('knows every leased user, and none of them is anybody else', async () => {
    const { output } = await runInImage(
      engine,
      image.tag,
      'getent passwd | sed s/^/USER:/; getent group | sed s/^/GROUP:/',
    );
    for (let slot = 0; slot < SLOT_COUNT; slot += 1) {
      const { bridge, agent } = uidPair(slot);
      const number = String(slot).padStart(2, '0');
      expect(output).toContain(`USER:bridge${number}:x:${bridge}:${bridge}::${GUEST.home}:`);
      expect(output).toContain(`USER:agent${number}:x:${agent}:${agent}::${GUEST.home}:`);
      expect(output).toContain(`GROUP:agent${number}:x:${agent}:`);
    }
  });

  test('knows localhost without any hosts file, and git may work in a mounted workspace only', async () => {
    const { output } = await runInImage(
      engine,
      image.tag,
      'getent -s myhostname ahosts localhost; git config --system --get-all safe.directory',
    );
    expect(output).toContain('127.0.0.1');
    expect(output).toContain(GUEST.workspace);
  });

  test('holds nothing of the environment of whoever built it (D34)', async () => {
    const facts = JSON.stringify(await engine.inspectImage(image.tag));
    expect(facts).not.toContain(CANARY);
    const history = await run('docker', ['history', '--no-trunc', image.tag]);
    expect(history.stdout).not.toContain(CANARY);
    expect(history.stdout).toContain('self-check.mjs');
    const search = `grep -rlaF "${CANARY.slice(0, 20)}""${CANARY.slice(20)}" / --exclude-dir=proc --exclude-dir=sys --exclude-dir=probe | sed s/^/FOUND:/; echo searched`;
    const { output } = await runInImage(engine, image.tag, search);
    expect(output).toContain('searched');
    expect(output).not.toContain('FOUND:');
    const planted = await runInImage(engine, image.tag, `echo ${CANARY} > /etc/planted; ${search}`);
    expect(planted.output).toContain('FOUND:/etc/planted');
  });

  test('names no registry in what it holds of npm', async () => {
    const { output } = await runInImage(
      engine,
      image.tag,
      `find ${GUEST.root}/pi -name .package-lock.json | sed s/^/FOUND:/; grep -c resolved ${GUEST.root}/pi/package-lock.json | sed s/^/RESOLVED:/`,
    );
    expect(output).not.toContain('FOUND:');
    expect(output).toContain('RESOLVED:0');
  });
});

describe('the self check of the image', () => {
  const check = `${GUEST.node} ${GUEST.root}/build/self-check.mjs`;

  test('passes again in the finished image', async () => {
    expect(await runInImage(engine, image.tag, check)).toMatchObject({ ok: true });
  });

  test.each([
    ['rg is missing (D11)', 'rm "$(command -v rg)"', 'rg is missing'],
    ['fd is missing (D11)', 'rm "$(command -v fdfind)" /opt/pi-sandbox/bin/fd', 'fd is missing'],
    [
      'fd is too old for pi',
      'printf "#!/bin/sh\\nexit 2\\n" > /usr/local/bin/fd; chmod 755 /usr/local/bin/fd',
      '--no-require-git',
    ],
    ['a file is setuid', 'chmod u+s /usr/bin/env', '/usr/bin/env is setuid'],
    ['a mount point exists', 'mkdir /spill', '/spill exists'],
    ['a guest file could be changed', `chmod o+w ${GUEST.guard}`, 'guard.mjs is writable'],
    ['pi does not start', `echo 'throw new Error("broken")' > ${GUEST.guard}`, 'broken'],
    [
      'pi is another version',
      `sed -i 's/"version": "1.6.0"/"version": "1.6.1"/' ${GUEST.root}/pi/node_modules/@earendil-works/pi-coding-agent/package.json`,
      'not 1.6.0',
    ],
  ])('fails when %s', async (_what, damage, words) => {
    const { ok, output } = await runInImage(engine, image.tag, `${damage} && ${check}`);
    expect(ok).toBe(false);
    expect(output).toContain(words);
  });
});

describe('pi with its guard in the image', () => {
  interface End {
    toolName: string;
    isError: boolean;
    result: { content: { text: string }[] };
  }
  let ends: End[];
  let entries: { kind: string; reason?: string; limit?: string }[];
  let output: string;

  beforeAll(async () => {
    const bundled = await bundle({
      entryPoints: [join(ROOT, 'test/support/guard-probe.mts')],
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
    });
    const probe = bundled.outputFiles[0]!.text;
    const result = await runInImage(engine, image.tag, `${GUEST.node} /probe/probe.mjs`, { 'probe.mjs': probe });
    output = result.output;
    expect(result.ok, output).toBe(true);
    const events = output
      .split('\n')
      .filter((line) => line.startsWith('EVENT '))
      .map((line) => JSON.parse(line.slice(6)));
    ends = events.filter((event) => event.type === 'tool_execution_end');
    entries = events.filter((event) => event.entry?.customType === 'pi-sandbox-guard').map((event) => event.entry.data);
  }, 120_000);

  const text = (end: End): string => end.result.content.map((part) => part.text).join('');

  test('refuses whatever would hang pi, in every form of path, and pi lives on', () => {
    const refused = ends.filter((end) => text(end).startsWith('pi-sandbox: '));
    expect(refused.map((end) => end.toolName).sort()).toEqual([
      'edit',
      'grep',
      'read',
      'read',
      'read',
      'read',
      'read',
      'write',
    ]);
    expect(refused.every((end) => end.isError)).toBe(true);
    expect(entries.filter((entry) => entry.kind === 'refused')).toHaveLength(8);
    expect(ends.some((end) => end.toolName === 'bash' && text(end).trim() === 'alive')).toBe(true);
  });

  test('lets ordinary files pass', () => {
    for (const tool of ['read', 'grep', 'find', 'ls']) {
      expect(
        ends.find((end) => end.toolName === tool && !end.isError),
        tool,
      ).toBeDefined();
    }
  });

  test('gives commands an environment without what is meant for pi', () => {
    const env = ends.map(text).find((found) => found.includes('PATH=')) ?? '';
    expect(env).toContain('TMPDIR=/tmp');
    expect(env).not.toMatch(/PI_CODING_AGENT_DIR|NODE_COMPILE_CACHE|JITI_FS_CACHE|NODE_OPTIONS|PI_SANDBOX_/);
  });

  test('keeps long output within the limit, with its end', () => {
    const long = ends.find((end) => text(end).includes('THE END'));
    expect(long).toBeDefined();
    expect(text(long!)).toContain('bytes of output left out here');
    expect(entries.filter((entry) => entry.kind === 'capped')).toMatchObject([{ limit: 'call' }]);
  });

  test('ends a call without a timeout by the default, and says so only there', () => {
    const timedOut = ends.map(text).filter((found) => found.includes('Command timed out'));
    expect(timedOut).toHaveLength(2);
    const byDefault = timedOut.filter((found) => found.includes('default of this sandbox'));
    expect(byDefault).toHaveLength(1);
    expect(byDefault[0]).toContain('after 2 seconds');
    expect(entries.filter((entry) => entry.kind === 'default-timeout')).toHaveLength(1);
  });

  test('tells the model the true default timeout', () => {
    expect(output).toContain('Timeout in seconds (optional, default 2)');
  });
});

describe('layering upon an image of the user', () => {
  test(
    'that has none of our tools and another glibc works, with nothing of it replaced',
    async () => {
      const bare = await bareImage();
      const built = await make({ from: bare });
      madeHere.push(built.tag);
      expect(built.base).toBe(bare);
      await expectClean();
      const script = `
      cat /etc/debian_version | sed s/^/debian:/
      export PATH=/usr/bin:/bin:${GUEST.root}/bin
      for tool in rg fd git node; do command -v $tool | sed s/^/at:/; done
      cd /tmp && mkdir w && cd w && git init -q . && echo hello > f.txt && git add . && git -c user.name=n -c user.email=e commit -qm one
      git -c user.name=n -c user.email=e stash list && git clone -q . ../clone && git -C ../clone log --format=commit:%s
      rg -n hello; fd --no-require-git f.txt`;
      const { ok, output } = await runInImage(engine, built.tag, `set -e\n${script}`);
      expect(output).toMatch(/debian:12/);
      for (const tool of ['rg', 'fd', 'git', 'node']) expect(output).toContain(`at:${GUEST.root}/bin/${tool}`);
      expect(output).toContain('commit:one');
      expect(output).toContain('f.txt:1:hello');
      expect(ok).toBe(true);
    },
    BUILD_MS,
  );

  test(
    'whose fd is too old for pi gets a newer one for pi only',
    async () => {
      const old = await vary(
        await bareImage(),
        'RUN printf "#!/bin/sh\\nexit 2\\n" > /usr/local/bin/fd && chmod 755 /usr/local/bin/fd',
      );
      const built = await make({ from: old });
      madeHere.push(built.tag);
      const { output } = await runInImage(engine, built.tag, `command -v fd; ls ${GUEST.agentDir}/bin`);
      expect(output).toContain('/usr/local/bin/fd');
      expect(output).toMatch(/\nfd\n/);
    },
    BUILD_MS,
  );

  test.each([
    ['without bash', ['RUN rm -f /bin/bash /usr/bin/bash'], /no \/bin\/bash/],
    ['without tar', ['RUN rm -f /bin/tar /usr/bin/tar'], /no tar/],
    [
      'with something at a mount point',
      ['RUN mkdir -p /workspace && touch /workspace/file'],
      /something at \/workspace/,
    ],
    ['with a volume', ['VOLUME /data'], /volume \(\/data\)/],
    ['with build triggers', ['ONBUILD RUN echo x'], /ONBUILD/],
  ])(
    '%s is refused in one clear sentence',
    async (_what, lines, words) => {
      const odd = await vary(await bareImage(), ...lines);
      await expect(make({ from: odd })).rejects.toMatchObject({ code: 'image', message: expect.stringMatching(words) });
      await expectClean();
    },
    BUILD_MS,
  );

  test.each([
    ['without glibc', ['COPY --from=bare /bin/busybox /bin/sh', 'COPY --from=bare /bin/busybox /bin/bash'], 'no glibc'],
    ['without a shell', ['COPY --from=bare /bin/busybox /bin/busybox'], 'no /bin/sh'],
  ])('%s is refused in one clear sentence', async (_what, lines, words) => {
    const dockerfile = `FROM ${await bareImage()} AS bare\nFROM scratch\n${lines.join('\n')}\n`;
    const { ok, output, tag } = await buildSmall(engine, dockerfile);
    expect(ok, output).toBe(true);
    madeHere.push(tag);
    const refusal = { code: 'image', message: expect.stringContaining(words) };
    await expect(make({ from: tag })).rejects.toMatchObject(refusal);
  });

  test('that is not there is refused before anything is installed', async () => {
    await expect(make({ from: 'pi-sandbox-test:missing' })).rejects.toMatchObject({
      code: 'image',
      message: expect.stringContaining('no image'),
    });
  });
});

describe('a build that cannot succeed', () => {
  test('names the tools that a base lacks where nothing can install them (D11)', async () => {
    const install = await readFile(join(ROOT, 'images/build/packages.sh'), 'utf8');
    const damage = 'rm -f /usr/bin/rg /usr/bin/fdfind /usr/bin/apt-get';
    const { ok, output } = await runInImage(engine, await defaultBase(engine), `${damage}\n${install}`);
    expect(ok).toBe(false);
    expect(output).toContain('pi-sandbox: this image lacks rg fd and has no apt-get');
  });

  test(
    'ends when it is aborted, and leaves nothing behind',
    async () => {
      const controller = new AbortController();
      const before = progress.length;
      const building = make({ signal: controller.signal });
      setTimeout(() => controller.abort(new Error('stopped by the user')), 1500);
      await expect(building).rejects.toThrow();
      expect(progress.length).toBeGreaterThan(before);
      await expectClean();
    },
    BUILD_MS,
  );
});
