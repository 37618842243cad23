import { randomUUID } from 'node:crypto';
import { Readable } from 'node:stream';
import { Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';
import { pack } from 'tar-stream';
import type { Engine } from '../../src/container/engine.ts';

const Message = Type.Object({ stream: Type.Optional(Type.String()), error: Type.Optional(Type.String()) });

export interface BuildResult {
  readonly ok: boolean;
  readonly output: string;
  readonly tag: string;
}

/** Builds a Dockerfile of a few lines with the engine's classic builder. The caller removes the tag. */
export async function buildSmall(
  engine: Pick<Engine, 'build'>,
  dockerfile: string,
  files: Readonly<Record<string, string | Buffer>> = {},
  tag = `pi-sandbox-test:${randomUUID().slice(0, 8)}`,
): Promise<BuildResult> {
  const archive = pack();
  archive.entry({ name: 'Dockerfile' }, dockerfile);
  for (const [name, content] of Object.entries(files)) archive.entry({ name }, content);
  archive.finalize();
  const context = Readable.from(archive, { objectMode: false });
  const signal = AbortSignal.timeout(300_000);
  let output = '';
  let ok = true;
  for await (const message of engine.build(context, {
    tag,
    dockerfile: 'Dockerfile',
    buildArgs: {},
    labels: {},
    network: false,
    signal,
  })) {
    if (!Value.Check(Message, message)) continue;
    output += message.stream ?? '';
    if (message.error !== undefined) {
      ok = false;
      output += message.error;
    }
  }
  return { ok, output, tag };
}

/** Runs a shell script as root in an image, in a build step whose result is thrown away. */
export async function runInImage(
  engine: Pick<Engine, 'build' | 'removeImage'>,
  image: string,
  script: string,
  files: Readonly<Record<string, string | Buffer>> = {},
): Promise<{ ok: boolean; output: string }> {
  const all = { ...files, 'script.sh': script };
  const copy = Object.keys(all).map((name) => `COPY ${name} /probe/${name}`);
  // A fresh value keeps the builder from answering with an earlier result.
  const lines = [
    `FROM ${image}`,
    'USER root',
    `ENV PROBE=${randomUUID()}`,
    ...copy,
    'RUN ["/bin/sh", "/probe/script.sh"]',
  ];
  const built = await buildSmall(engine, `${lines.join('\n')}\n`, all);
  if (built.ok) await engine.removeImage(built.tag);
  return { ok: built.ok, output: built.output };
}
