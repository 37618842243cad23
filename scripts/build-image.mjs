/** Development entry until the command line has `image build`: node scripts/build-image.mjs [--from IMG] [--base IMG] */
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { connectEngine } from '../src/container/dockerode-client.ts';
import { findEndpoint } from '../src/container/endpoint.ts';
import { buildImage } from '../src/container/image/build.ts';

const { values } = parseArgs({ options: { from: { type: 'string' }, base: { type: 'string' } } });
const result = await buildImage({
  engine: await connectEngine(await findEndpoint(process.env)),
  root: join(import.meta.dirname, '..'),
  stateDir: join(tmpdir(), 'pi-sandbox-image-build'),
  env: process.env,
  onProgress: (line) => console.log(line),
  signal: AbortSignal.timeout(20 * 60_000),
  ...values,
});
console.log(result);
