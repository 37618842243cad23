import { createHash } from 'node:crypto';
import { access, readFile } from 'node:fs/promises';
import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { SandboxError } from '../errors.ts';
import { strictParse } from '../lib/strict-parse.ts';

const ClientConfig = Type.Object({ currentContext: Type.Optional(Type.String()) });
const ContextMeta = Type.Object({
  Endpoints: Type.Object({ docker: Type.Object({ Host: Type.String() }) }),
});

/** The context that the docker command's configuration file chooses. */
export async function contextIn(file: string): Promise<string | undefined> {
  const parsed = strictParse(ClientConfig, await readJson(file));
  return parsed.ok ? parsed.value.currentContext : undefined;
}

/** Where a context leads, and the folder of its TLS files if it has one. Throws SandboxError `engine`. */
export async function hostOfContext(
  configFolder: string,
  name: string,
): Promise<{ host: string; tlsFolder: string | undefined }> {
  const id = createHash('sha256').update(name).digest('hex');
  const file = path.join(configFolder, 'contexts', 'meta', id, 'meta.json');
  if (!(await exists(file))) {
    throw new SandboxError('engine', `The Docker context "${name}" is chosen, but ${file} does not exist.`, {
      hint: 'Choose another with "docker context use", or set DOCKER_HOST.',
    });
  }
  const parsed = strictParse(ContextMeta, await readJson(file));
  if (!parsed.ok) throw new SandboxError('engine', `${file} does not describe a Docker endpoint.`);
  const tlsFolder = path.join(configFolder, 'contexts', 'tls', id, 'docker');
  return { host: parsed.value.Endpoints.docker.Host, tlsFolder: (await exists(tlsFolder)) ? tlsFolder : undefined };
}

async function readJson(file: string): Promise<unknown> {
  try {
    return JSON.parse(await readFile(file, 'utf8'));
  } catch (cause) {
    throw new SandboxError('engine', `${file} is not readable JSON.`, { cause, hint: 'Repair it or set DOCKER_HOST.' });
  }
}

async function exists(file: string): Promise<boolean> {
  return access(file).then(
    () => true,
    () => false,
  );
}
