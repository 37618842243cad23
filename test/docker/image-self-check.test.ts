import { beforeAll, expect, test } from 'vitest';
import { GUEST } from '../../src/protocol/guest.ts';
import { testEngine, testImage } from '../support/engine.ts';
import { runInImage } from '../support/image-probe.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';

const SELF_CHECK = `${GUEST.node} ${GUEST.root}/build/self-check.mjs`;

beforeAll(imageReady, IMAGE_MS);

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
])('the self check of the image fails when %s', async (_what, damage, words) => {
  const { ok, output } = await runInImage(await testEngine(), await testImage(), `${damage} && ${SELF_CHECK}`);
  expect(ok).toBe(false);
  expect(output).toContain(words);
});
