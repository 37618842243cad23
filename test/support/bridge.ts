import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import net from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from 'esbuild';
import { EGRESS_ARGUMENT } from '../../src/protocol/wire.ts';

const ROOT = join(import.meta.dirname, '../..');

export interface Bridge extends AsyncDisposable {
  readonly child: ChildProcessWithoutNullStreams;
  readonly port: number;
  /** Of the way out, where it was asked for. */
  readonly egressPort: number;
  /** Settles when the process has ended. */
  readonly exited: Promise<{ code: number | null; stderr: string }>;
  connect(port?: number): net.Socket;
}

/** The bridge as it is shipped, but for three constants: its ports, free on this machine, and its deadline. */
export async function startBridge(options: { deadlineMs?: number; egress?: boolean } = {}): Promise<Bridge> {
  const folder = await mkdtemp(join(tmpdir(), 'pi-sandbox-bridge-'));
  const port = await freePort();
  const egressPort = await freePort();
  const file = join(folder, 'bridge.mjs');
  await build({
    entryPoints: [join(ROOT, 'images/guest/bridge.mts')],
    outfile: file,
    bundle: true,
    platform: 'node',
    format: 'esm',
    plugins: [
      {
        name: 'constants',
        setup(bundle) {
          bundle.onLoad({ filter: /protocol\/wire\.ts$/ }, async ({ path }) => {
            const source = await readFile(path, 'utf8');
            const contents = replaced(
              replaced(replaced(source, 'GATEWAY_PORT', port), 'EGRESS_PORT', egressPort),
              'PING_DEADLINE_MS',
              options.deadlineMs ?? 15_000,
            );
            return { contents, loader: 'ts' };
          });
        },
      },
    ],
  });
  const child = spawn(process.execPath, [file, ...(options.egress === true ? [EGRESS_ARGUMENT] : [])]);
  let stderr = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    stderr += text;
  });
  child.stdin.on('error', () => undefined);
  const exited = once(child, 'close').then(([code]) => ({ code: code as number | null, stderr }));
  return {
    child,
    port,
    egressPort,
    exited,
    connect: (to = port) => net.connect({ port: to, host: '127.0.0.1', allowHalfOpen: true }),
    async [Symbol.asyncDispose]() {
      child.kill('SIGKILL');
      await exited;
      await rm(folder, { recursive: true });
    },
  };
}

function replaced(source: string, name: string, value: number): string {
  const line = new RegExp(`export const ${name} = .*;`);
  if (!line.test(source)) throw new Error(`the protocol has no ${name}`);
  return source.replace(line, `export const ${name} = ${value};`);
}

async function freePort(): Promise<number> {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as net.AddressInfo;
  server.close();
  await once(server, 'close');
  return port;
}
