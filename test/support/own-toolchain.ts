import { defaultBase } from '../../src/container/image/base.ts';
import type { ImageMaker } from './image-making.ts';

/** Where the image of a user keeps its own tools, and one of them. */
export const TOOLCHAIN = '/opt/toolchain/bin';
export const OWN_TOOL = 'own-tool';
export const OWN_TOOL_SAYS = 'built with the toolchain of the user';

const OURS = ['rg', 'fd', 'fdfind', 'git', 'node', 'tini'];

/** An image such as a user may have: none of the tools that we need, and a search path with a folder of its own in front. */
export async function ownToolchain(maker: ImageMaker): Promise<string> {
  const remove = OURS.map((tool) => `while found=$(command -v ${tool}); do rm "$found"; done`).join('; ');
  return maker.vary(
    await defaultBase(maker.engine),
    `RUN ${remove}; rm -f /usr/bin/tini-static`,
    `RUN mkdir -p ${TOOLCHAIN} && printf '#!/bin/sh\\necho ${OWN_TOOL_SAYS}\\n' > ${TOOLCHAIN}/${OWN_TOOL} && chmod 755 ${TOOLCHAIN}/${OWN_TOOL}`,
    `ENV PATH=${TOOLCHAIN}:/usr/local/bin:/usr/bin:/bin`,
  );
}
