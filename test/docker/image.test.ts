import { beforeAll, describe, expect, test } from 'vitest';
import type { Engine } from '../../src/container/engine.ts';
import { imageFacts } from '../../src/container/image/facts.ts';
import { GUEST, SLOT_COUNT, uidPair } from '../../src/protocol/guest.ts';
import { testEngine, testImage } from '../support/engine.ts';
import { runInImage } from '../support/image-probe.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';

let engine: Engine;
let image: string;
beforeAll(async () => {
  await imageReady();
  engine = await testEngine();
  image = await testImage();
}, IMAGE_MS);

describe('the image', () => {
  /** What was found out by one shell as root inside. */
  let found: string;
  beforeAll(async () => {
    const script = `
      echo "setuid: $(find / -xdev -perm /6000 -type f | wc -l)"
      for folder in ${GUEST.workspace} ${GUEST.home} ${GUEST.spill}; do test -e $folder && echo "exists: $folder"; done
      echo "writable: $(find ${GUEST.root} ! -type l -perm /022 | wc -l)"
      echo "foreign: $(find ${GUEST.root} ! -uid 0 -o ! -gid 0 | wc -l)"
      echo "agent folder: $(ls -A ${GUEST.agentDir} | wc -l)"
      getent passwd | sed s/^/USER:/; getent group | sed s/^/GROUP:/
      getent -s myhostname ahosts localhost | sed s/^/LOCALHOST:/
      git config --system --get-all safe.directory | sed s/^/SAFE:/
      find ${GUEST.root}/pi -name .package-lock.json | sed s/^/NPM:/
      grep -c resolved ${GUEST.root}/pi/package-lock.json | sed s/^/RESOLVED:/
      ${GUEST.node} ${GUEST.root}/build/self-check.mjs && echo "self check: $?"`;
    const { ok, output } = await runInImage(engine, image, script);
    expect(ok, output).toBe(true);
    found = output;
  });

  test('declares nothing that acts by itself', async () => {
    const config = imageFacts(image, await engine.inspectImage(image))?.Config;
    expect(config?.Volumes ?? {}).toEqual({});
    expect(config?.OnBuild ?? []).toEqual([]);
    expect(config?.Healthcheck?.Test).toEqual(['NONE']);
  });

  test('has no setuid file, no folder at a mount point, and nothing of ours that others could write', () => {
    expect(found).toContain('setuid: 0');
    expect(found).toContain('writable: 0');
    expect(found).toContain('foreign: 0');
    expect(found).toContain('agent folder: 0');
    expect(found).not.toContain('exists:');
  });

  test('knows every leased user, and none of them is anybody else', () => {
    for (let slot = 0; slot < SLOT_COUNT; slot += 1) {
      const { bridge, agent } = uidPair(slot);
      const number = String(slot).padStart(2, '0');
      expect(found).toContain(`USER:bridge${number}:x:${bridge}:${bridge}::${GUEST.home}:`);
      expect(found).toContain(`USER:agent${number}:x:${agent}:${agent}::${GUEST.home}:`);
      expect(found).toContain(`GROUP:agent${number}:x:${agent}:`);
    }
  });

  test('knows localhost without any hosts file, and git may work in a mounted workspace only', () => {
    expect(found).toContain('LOCALHOST:127.0.0.1');
    expect(found).toContain(`SAFE:${GUEST.workspace}`);
  });

  test('names no registry in what it holds of npm', () => {
    expect(found).not.toContain('NPM:');
    expect(found).toContain('RESOLVED:0');
  });

  test('passes its self check again', () => {
    expect(found).toContain('self check: 0');
  });
});
