import { beforeAll, describe, expect, test } from 'vitest';
import { GUEST } from '../../src/protocol/guest.ts';
import { bareImage } from '../support/bare-image.ts';
import { ImageMaker } from '../support/image-making.ts';
import { runInImage } from '../support/image-probe.ts';

const maker = new ImageMaker();
beforeAll(() => maker.open());

describe('layering upon an image of the user', () => {
  test('that has none of our tools and another glibc works, with nothing of it replaced', async () => {
    const bare = await bareImage();
    const built = await maker.make({ from: bare });
    expect(built.base).toBe(bare);
    expect(maker.leftovers()).toEqual([]);
    const script = `
      cat /etc/debian_version | sed s/^/debian:/
      export PATH=/usr/bin:/bin:${GUEST.root}/bin
      for tool in rg fd git node; do command -v $tool | sed s/^/at:/; done
      cd /tmp && mkdir w && cd w && git init -q . && echo hello > f.txt && git add . && git -c user.name=n -c user.email=e commit -qm one
      git -c user.name=n -c user.email=e stash list && git clone -q . ../clone && git -C ../clone log --format=commit:%s
      rg -n hello; fd --no-require-git f.txt`;
    const { ok, output } = await runInImage(maker.engine, built.tag, `set -e\n${script}`);
    expect(output).toMatch(/debian:12/);
    for (const tool of ['rg', 'fd', 'git', 'node']) expect(output).toContain(`at:${GUEST.root}/bin/${tool}`);
    expect(output).toContain('commit:one');
    expect(output).toContain('f.txt:1:hello');
    expect(ok).toBe(true);
  });

  test('whose fd is too old for pi gets a newer one for pi only', async () => {
    const old = await maker.vary(
      await bareImage(),
      'RUN printf "#!/bin/sh\\nexit 2\\n" > /usr/local/bin/fd && chmod 755 /usr/local/bin/fd',
    );
    const built = await maker.make({ from: old });
    const { output } = await runInImage(maker.engine, built.tag, `command -v fd; ls ${GUEST.agentDir}/bin`);
    expect(output).toContain('/usr/local/bin/fd');
    expect(output).toMatch(/\nfd\n/);
  });

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
  ])('%s is refused in one clear sentence', async (_what, lines, words) => {
    const odd = await maker.vary(await bareImage(), ...lines);
    await expect(maker.make({ from: odd })).rejects.toMatchObject({
      code: 'image',
      message: expect.stringMatching(words),
    });
    expect(maker.leftovers()).toEqual([]);
  });

  test.each([
    ['without glibc', ['COPY --from=bare /bin/busybox /bin/sh', 'COPY --from=bare /bin/busybox /bin/bash'], 'no glibc'],
    ['without a shell', ['COPY --from=bare /bin/busybox /bin/busybox'], 'no /bin/sh'],
  ])('%s is refused in one clear sentence', async (_what, lines, words) => {
    const dockerfile = `FROM ${await bareImage()} AS bare\nFROM scratch\n${lines.join('\n')}\n`;
    const tag = await maker.dockerfile(dockerfile);
    const refusal = { code: 'image', message: expect.stringContaining(words) };
    await expect(maker.make({ from: tag })).rejects.toMatchObject(refusal);
  });

  test('that is not there is refused before anything is installed', async () => {
    await expect(maker.make({ from: 'pi-sandbox-test:missing' })).rejects.toMatchObject({
      code: 'image',
      message: expect.stringContaining('no image'),
    });
  });
});
