import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { connectEngine } from '../../src/container/dockerode-client.ts';
import { findEndpoint } from '../../src/container/endpoint.ts';
import type { Engine } from '../../src/container/engine.ts';
import { eventually } from './host-processes.ts';

const START_MS = 60_000;

/** A Docker engine for one test file, apart from the machine's own: socket, data, containers and network of its own. */
export class PrivateEngine implements AsyncDisposable {
  #made: string | undefined;
  #daemon: ChildProcess | undefined;

  get #folder(): string {
    this.#made ??= mkdtempSync(path.join(tmpdir(), 'pe-'));
    return this.#made;
  }

  /** For DOCKER_HOST. */
  get host(): string {
    return `unix://${this.#folder}/s`;
  }

  async connect(): Promise<Engine> {
    return connectEngine(await findEndpoint({ DOCKER_HOST: this.host }));
  }

  /** Needs root. Runs in a network namespace of its own and touches nothing of the host's. */
  async start(): Promise<void> {
    const at = (name: string): string => path.join(this.#folder, name);
    const own = ['--data-root', at('data'), '--exec-root', at('exec'), '--pidfile', at('pid'), '--host', this.host];
    const apart = [
      '--containerd-namespace',
      'pi-sandbox-test',
      '--containerd-plugins-namespace',
      'pi-sandbox-test-plugins',
    ];
    const network = ['--bridge=none', '--iptables=false', '--ip-forward=false', '--ip-masq=false'];
    // A killed daemon leaves it, and its number may be in use again.
    rmSync(at('pid'), { force: true });
    const log = openSync(at('log'), 'a');
    // A network of its own: a second daemon without a bridge removes the bridge of the first.
    this.#daemon = spawn('unshare', ['--net', 'dockerd', ...own, ...apart, ...network], {
      stdio: ['ignore', log, log],
    });
    await once(this.#daemon, 'spawn');
    const answers = () =>
      this.connect().then(
        () => true,
        () => false,
      );
    await eventually('the private engine answers', START_MS, answers, () =>
      readFileSync(at('log'), 'utf8').slice(-2_000),
    );
  }

  /** Copies an image of the machine's engine. */
  async load(image: string): Promise<void> {
    const script = 'set -o pipefail; docker save "$1" | docker --host "$2" load';
    const copy = spawn('bash', ['-c', script, 'bash', image, this.host], { stdio: ['ignore', 'ignore', 'inherit'] });
    const [code] = await once(copy, 'exit');
    if (code !== 0) throw new Error(`${image} could not be copied into the private engine: exit code ${code}`);
  }

  /** SIGKILL: the daemon says no goodbye to anybody. Its containers are not its children and stay. */
  async kill(): Promise<void> {
    const daemon = this.#daemon;
    if (daemon === undefined || daemon.exitCode !== null || daemon.signalCode !== null) return;
    const gone = once(daemon, 'exit');
    daemon.kill('SIGKILL');
    await gone;
  }

  /** Ends the daemon in order, and what a killed one left behind. */
  async [Symbol.asyncDispose](): Promise<void> {
    const daemon = this.#daemon;
    if (daemon !== undefined && daemon.exitCode === null && daemon.signalCode === null) {
      const gone = once(daemon, 'exit');
      daemon.kill('SIGTERM');
      await gone;
    }
    const containerd = path.join(this.#folder, 'exec/containerd/containerd.pid');
    if (existsSync(containerd)) endIf(Number(readFileSync(containerd, 'utf8')), this.#folder);
    for (const mount of mountsBelow(this.#folder).reverse()) execFileSync('umount', ['--lazy', mount]);
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/** What a killed daemon left mounted, in the order in which it was. */
function mountsBelow(folder: string): string[] {
  const points = readFileSync('/proc/self/mountinfo', 'latin1')
    .split('\n')
    .map((line) => line.split(' ')[4] ?? '');
  return points.filter((point) => point.startsWith(`${folder}/`));
}

/** Ends a process that was started with this folder in its arguments, and no other that has its number by now. */
function endIf(pid: number, folder: string): void {
  try {
    if (readFileSync(`/proc/${pid}/cmdline`, 'latin1').includes(folder)) execFileSync('kill', ['-KILL', String(pid)]);
  } catch {
    // It is gone already.
  }
}
