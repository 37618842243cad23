import type { Readable } from 'node:stream';
import { SandboxError } from '../errors.ts';

/** Longest progress line of a build, bytes. */
const MAX_LINE = 1024 * 1024;

/** The JSON objects, one per line, that an engine sends while it builds. */
export async function* buildMessages(stream: Readable): AsyncIterable<unknown> {
  let rest = Buffer.alloc(0);
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    rest = Buffer.concat([rest, chunk]);
    for (let end = rest.indexOf(0x0a); end >= 0; end = rest.indexOf(0x0a)) {
      const line = rest.subarray(0, end).toString('utf8').trim();
      rest = rest.subarray(end + 1);
      if (line !== '') yield parse(line);
    }
    if (rest.length > MAX_LINE)
      throw new SandboxError('engine', `A progress line of the image build passed ${MAX_LINE} bytes.`);
  }
}

function parse(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new SandboxError('engine', 'The engine sent a progress line that is not JSON.', { cause });
  }
}
