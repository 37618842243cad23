import http from 'node:http';
import type { Readable } from 'node:stream';
import { text } from 'node:stream/consumers';
import type { ImageEngine } from '../../src/container/image/engine.ts';

interface Summary {
  Id: string;
  RepoTags: string[] | null;
  Labels: Record<string, string> | null;
  Created: number;
  Size: number;
}

/** An image engine over a unix socket with nothing but node:http, so that image tests stand on no client of ours. */
export async function unixSocketEngine(
  socketPath: string,
): Promise<ImageEngine & { remove(name: string): Promise<void> }> {
  const ask = (method: string, path: string, body?: Readable, signal?: AbortSignal): Promise<http.IncomingMessage> =>
    new Promise((resolve, reject) => {
      const headers = body === undefined ? {} : { 'content-type': 'application/x-tar' };
      const request = http.request(
        { socketPath, method, path, headers, ...(signal === undefined ? {} : { signal }) },
        resolve,
      );
      request.on('error', reject);
      if (body === undefined) request.end();
      else body.on('error', (error) => request.destroy(error)).pipe(request);
    });
  const json = async (path: string): Promise<unknown> => {
    const answer = await ask('GET', path);
    const body = await text(answer);
    if (answer.statusCode === 404) return undefined;
    if (answer.statusCode !== 200) throw new Error(`GET ${path}: ${answer.statusCode} ${body}`);
    return JSON.parse(body);
  };
  const version = (await json('/version')) as { Arch: string };
  return {
    facts: { arch: version.Arch },
    inspectImage: (name) => json(`/images/${encodeURIComponent(name)}/json`),
    async images(labels) {
      const wanted = Object.entries(labels).map(([key, value]) => (value === true ? key : `${key}=${value}`));
      const filters = encodeURIComponent(JSON.stringify({ label: wanted }));
      const found = (await json(`/images/json?filters=${filters}`)) as Summary[];
      return found.map((image) => ({
        id: image.Id,
        tags: image.RepoTags ?? [],
        labels: image.Labels ?? {},
        created: image.Created,
        size: image.Size,
      }));
    },
    async *build(context, options) {
      const query = new URLSearchParams({
        t: options.tag,
        dockerfile: options.dockerfile,
        buildargs: JSON.stringify(options.buildArgs),
        labels: JSON.stringify(options.labels),
        rm: '1',
        forcerm: '1',
      });
      const answer = await ask('POST', `/build?${query}`, context, options.signal);
      if (answer.statusCode !== 200) throw new Error(`build: ${answer.statusCode} ${await text(answer)}`);
      let rest = '';
      for await (const chunk of answer.setEncoding('utf8') as AsyncIterable<string>) {
        const lines = (rest + chunk).split('\n');
        rest = lines.pop() ?? '';
        for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as unknown;
      }
    },
    async remove(name) {
      (await ask('DELETE', `/images/${encodeURIComponent(name)}?force=1`)).resume();
    },
  };
}
