import { createHash } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { findEndpoint } from '../../src/container/endpoint.ts';
import { SandboxError } from '../../src/errors.ts';

function home(): string {
  const folder = mkdtempSync(path.join(tmpdir(), 'home-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  mkdirSync(path.join(folder, '.docker'));
  return folder;
}

function config(folder: string, value: unknown): void {
  writeFileSync(path.join(folder, '.docker/config.json'), typeof value === 'string' ? value : JSON.stringify(value));
}

/** A context as `docker context create` writes it. Returns its TLS folder, which is not made. */
function context(folder: string, name: string, host: unknown): string {
  const id = createHash('sha256').update(name).digest('hex');
  const meta = path.join(folder, '.docker/contexts/meta', id);
  mkdirSync(meta, { recursive: true });
  writeFileSync(
    path.join(meta, 'meta.json'),
    JSON.stringify({ Name: name, Metadata: {}, Endpoints: { docker: { Host: host, SkipTLSVerify: false } } }),
  );
  return path.join(folder, '.docker/contexts/tls', id, 'docker');
}

function tlsFiles(folder: string, names = ['ca.pem', 'cert.pem', 'key.pem']): void {
  mkdirSync(folder, { recursive: true });
  for (const name of names) writeFileSync(path.join(folder, name), name);
}

const socket = (file: string) => ({ kind: 'socket', path: file });

describe('the engine is found as the docker command finds it (D69)', () => {
  test.each([
    ['unix:///run/user/1000/docker.sock', socket('/run/user/1000/docker.sock')],
    ['unix://', socket('/var/run/docker.sock')],
    ['tcp://10.0.0.1:1234', { kind: 'tcp', host: '10.0.0.1', port: 1234 }],
    ['tcp://10.0.0.1', { kind: 'tcp', host: '10.0.0.1', port: 2375 }],
    ['tcp://[::1]:1234', { kind: 'tcp', host: '::1', port: 1234 }],
    ['10.0.0.1:1234', { kind: 'tcp', host: '10.0.0.1', port: 1234 }],
  ])('DOCKER_HOST=%s', async (value, address) => {
    expect(await findEndpoint({ DOCKER_HOST: value, HOME: home() })).toEqual({ address, source: 'DOCKER_HOST' });
  });

  test('DOCKER_HOST with DOCKER_TLS_VERIFY speaks TLS with the files of DOCKER_CERT_PATH', async () => {
    const folder = home();
    tlsFiles(path.join(folder, 'certs'));
    const env = { DOCKER_HOST: 'tcp://h', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: path.join(folder, 'certs') };
    const { address } = await findEndpoint(env);
    expect(address).toMatchObject({ kind: 'tcp', host: 'h', port: 2376, tls: { key: Buffer.from('key.pem') } });
  });

  test('DOCKER_HOST wins over a context', async () => {
    const folder = home();
    config(folder, { currentContext: 'colima' });
    const { source } = await findEndpoint({ DOCKER_HOST: 'unix:///x', DOCKER_CONTEXT: 'colima', HOME: folder });
    expect(source).toBe('DOCKER_HOST');
  });

  test('the current context of config.json', async () => {
    const folder = home();
    config(folder, { auths: {}, currentContext: 'colima' });
    context(folder, 'colima', 'unix:///home/me/.colima/docker.sock');
    expect(await findEndpoint({ HOME: folder })).toEqual({
      address: socket('/home/me/.colima/docker.sock'),
      source: 'the Docker context "colima"',
    });
  });

  test('DOCKER_CONTEXT wins over config.json, and DOCKER_CONFIG says where both are', async () => {
    const folder = home();
    config(folder, { currentContext: 'colima' });
    context(folder, 'remote', 'tcp://10.0.0.2:2376');
    const env = { DOCKER_CONTEXT: 'remote', DOCKER_CONFIG: path.join(folder, '.docker'), HOME: '/nowhere' };
    expect((await findEndpoint(env)).address).toEqual({ kind: 'tcp', host: '10.0.0.2', port: 2376 });
  });

  test('a context with TLS files of its own', async () => {
    const folder = home();
    tlsFiles(context(folder, 'remote', 'tcp://10.0.0.2'));
    const { address } = await findEndpoint({ DOCKER_CONTEXT: 'remote', HOME: folder });
    expect(address).toMatchObject({ port: 2376, tls: { ca: Buffer.from('ca.pem') } });
  });

  test('the context named default is the default socket', async () => {
    const folder = home();
    config(folder, { currentContext: 'default' });
    expect((await findEndpoint({ HOME: folder })).source).toBe('the default socket');
    expect((await findEndpoint({ HOME: folder, DOCKER_CONTEXT: 'default' })).source).toBe('the default socket');
  });
});

describe('an engine that cannot be found is an error that says what to do', () => {
  async function refused(env: Parameters<typeof findEndpoint>[0]): Promise<SandboxError> {
    const error: unknown = await findEndpoint(env).then(
      (found) => new Error(`found ${JSON.stringify(found)}`),
      (problem: unknown) => problem,
    );
    if (!(error instanceof SandboxError)) throw error;
    expect(error.code).toBe('engine');
    return error;
  }

  test('ssh, with the way around', async () => {
    expect((await refused({ DOCKER_HOST: 'ssh://me@host' })).hint).toContain('DOCKER_HOST=unix://');
  });

  test.each(['npipe:////./pipe/docker_engine', 'fd://', 'tcp://'])('%s', async (value) => {
    expect((await refused({ DOCKER_HOST: value })).message).toContain(value);
  });

  test('a context that does not exist', async () => {
    const error = await refused({ DOCKER_CONTEXT: 'gone', HOME: home() });
    expect(error.message).toContain('"gone"');
    expect(error.hint).toContain('docker context use');
  });

  test('a context without an endpoint', async () => {
    const folder = home();
    context(folder, 'odd', 5);
    await refused({ DOCKER_CONTEXT: 'odd', HOME: folder });
  });

  test('a config.json that is no JSON: guessing would use another engine than docker does', async () => {
    const folder = home();
    config(folder, '{');
    expect((await refused({ HOME: folder })).message).toContain('config.json');
  });

  test('TLS files that are missing', async () => {
    const folder = home();
    tlsFiles(folder, ['ca.pem']);
    await refused({ DOCKER_HOST: 'tcp://h', DOCKER_TLS_VERIFY: '1', DOCKER_CERT_PATH: folder });
  });
});
