import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import path from 'node:path';
import { SandboxError } from '../errors.ts';

/** What the search for an engine looks at; read from the environment by the command line. */
export interface EndpointEnv {
  readonly DOCKER_HOST?: string | undefined;
  readonly DOCKER_CONTEXT?: string | undefined;
  readonly DOCKER_CONFIG?: string | undefined;
  readonly DOCKER_TLS_VERIFY?: string | undefined;
  readonly DOCKER_CERT_PATH?: string | undefined;
  readonly XDG_RUNTIME_DIR?: string | undefined;
  readonly HOME?: string | undefined;
}

/** Where the engine is, and how that was found out. */
export interface Endpoint {
  readonly address:
    | { readonly kind: 'socket'; readonly path: string }
    | { readonly kind: 'tcp'; readonly host: string; readonly port: number; readonly tls?: TlsFiles };
  /** For messages: `DOCKER_HOST`, `the Docker context "colima"`, ... */
  readonly source: string;
}

export interface TlsFiles {
  readonly ca: Buffer;
  readonly cert: Buffer;
  readonly key: Buffer;
}

const DEFAULT_SOCKET = '/var/run/docker.sock';
const PLAIN_PORT = 2375;
const TLS_PORT = 2376;

/** Finds the engine as the docker command does: DOCKER_HOST, then the context, then the usual sockets. */
export async function findEndpoint(env: EndpointEnv): Promise<Endpoint> {
  const configFolder = env.DOCKER_CONFIG || path.join(env.HOME ?? '/', '.docker');
  if (env.DOCKER_HOST) {
    const wantsTls = env.DOCKER_TLS_VERIFY !== undefined && env.DOCKER_TLS_VERIFY !== '';
    const tlsFolder = wantsTls ? env.DOCKER_CERT_PATH || configFolder : undefined;
    return parseHost(env.DOCKER_HOST, 'DOCKER_HOST', tlsFolder);
  }
  const context = env.DOCKER_CONTEXT || (await currentContext(configFolder));
  if (context !== undefined && context !== 'default') {
    const { hostOfContext } = await import('./client-config.ts');
    const { host, tlsFolder } = await hostOfContext(configFolder, context);
    return parseHost(host, `the Docker context "${context}"`, tlsFolder);
  }
  const candidates = [
    DEFAULT_SOCKET,
    ...(env.XDG_RUNTIME_DIR ? [path.join(env.XDG_RUNTIME_DIR, 'docker.sock')] : []),
    ...(env.HOME ? [path.join(env.HOME, '.docker', 'run', 'docker.sock')] : []),
  ];
  for (const socket of candidates) {
    if (existsSync(socket)) return { address: { kind: 'socket', path: socket }, source: 'the default socket' };
  }
  return { address: { kind: 'socket', path: DEFAULT_SOCKET }, source: 'the default socket' };
}

/** What reads the client's files is loaded where there are any. */
async function currentContext(configFolder: string): Promise<string | undefined> {
  const file = path.join(configFolder, 'config.json');
  return existsSync(file) ? (await import('./client-config.ts')).contextIn(file) : undefined;
}

async function parseHost(text: string, source: string, tlsFolder: string | undefined): Promise<Endpoint> {
  if (text.startsWith('unix://')) {
    return { address: { kind: 'socket', path: text.slice('unix://'.length) || DEFAULT_SOCKET }, source };
  }
  const url = URL.parse(text.includes('://') ? text : `tcp://${text}`);
  if (url === null || !['tcp:', 'http:', 'https:'].includes(url.protocol) || url.hostname === '') {
    const ssh = text.startsWith('ssh://');
    throw new SandboxError('engine', `${source} names ${text}, which pi-sandbox cannot connect to.`, {
      hint: ssh
        ? 'Forward the socket yourself (ssh -NL /tmp/engine.sock:/var/run/docker.sock HOST) and set DOCKER_HOST=unix:///tmp/engine.sock.'
        : 'Supported are unix:// and tcp:// addresses.',
    });
  }
  const secure = tlsFolder !== undefined || url.protocol === 'https:';
  const port = url.port === '' ? (secure ? TLS_PORT : PLAIN_PORT) : Number(url.port);
  const host = url.hostname.replace(/^\[|\]$/g, '');
  if (tlsFolder === undefined) return { address: { kind: 'tcp', host, port }, source };
  return { address: { kind: 'tcp', host, port, tls: await readTls(tlsFolder) }, source };
}

async function readTls(folder: string): Promise<TlsFiles> {
  const read = (name: string) => readFile(path.join(folder, name));
  try {
    return { ca: await read('ca.pem'), cert: await read('cert.pem'), key: await read('key.pem') };
  } catch (cause) {
    throw new SandboxError('engine', `The TLS files of the engine in ${folder} cannot be read.`, { cause });
  }
}
