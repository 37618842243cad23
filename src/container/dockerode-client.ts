import { Socket } from 'node:net';
import type { Duplex, Readable } from 'node:stream';
import { type TSchema, Type } from '@sinclair/typebox';
import type { ContainerCreateOptions, DockerOptions } from 'dockerode';
import Docker from 'dockerode';
import { SandboxError } from '../errors.ts';
import { withDeadline } from '../lib/deadline.ts';
import { problemText, strictParse } from '../lib/strict-parse.ts';
import { negotiateApi } from './api-version.ts';
import { buildMessages } from './build-messages.ts';
import { stateIn } from './container-state.ts';
import type { EarlyAnswers } from './early-questions.ts';
import type { Endpoint } from './endpoint.ts';
import type { BuildOptions, ContainerState, Engine, EngineFacts } from './engine.ts';
import {
  ExecAnswer,
  IdAnswer,
  ImagesAnswer,
  InfoAnswer,
  ListAnswer,
  VersionAnswer,
  VolumesAnswer,
} from './engine-answers.ts';
import { describeEndpoint, engineError, statusOf } from './engine-errors.ts';

/** Longest wait for an answer of the engine, milliseconds. */
const CALL_MS = 120_000;
/** `wait` answers when the container ends: a little longer than a timer can be set for would overflow it. */
const WAIT_MS = 2 ** 31 - 1;

const GONE = 404;
const CONFLICT = 409;

/**
 * Connects to the engine at an endpoint and agrees on an API version; `early` are answers that it was asked for before.
 * Rejects with SandboxError `engine`.
 */
export async function connectEngine(endpoint: Endpoint, early?: EarlyAnswers): Promise<Engine> {
  const call = caller(endpoint);
  const probe = new Docker(dockerOptions(endpoint));
  const [answer, info] = await Promise.all([
    call('tell its version', async () => (await early?.version) ?? probe.version(), VersionAnswer),
    call('describe itself', async () => (await early?.info) ?? probe.info(), InfoAnswer),
  ]);
  const apiVersion = negotiateApi(answer, describeEndpoint(endpoint));
  const docker = new Docker({ ...dockerOptions(endpoint), version: `v${apiVersion}` });
  const facts: EngineFacts = {
    name: info.Name,
    version: answer.Version,
    apiVersion,
    arch: answer.Arch,
    kernel: answer.KernelVersion ?? 'unknown',
    cpus: info.NCPU,
    memory: info.MemTotal,
    cgroupVersion: info.CgroupVersion ?? 'unknown',
    securityOptions: info.SecurityOptions ?? [],
    runtimes: Object.keys(info.Runtimes),
    runtimeVersion: info.RuncCommit?.ID ?? 'unknown',
    local: endpoint.address.kind === 'socket',
    endpoint: describeEndpoint(endpoint),
  };
  return new DockerodeEngine(docker, facts, call);
}

type Caller = ReturnType<typeof caller>;

/** Runs one engine call: failures become SandboxErrors, answers are checked against a schema. */
function caller(endpoint: Endpoint) {
  return async <S extends TSchema>(what: string, ask: () => Promise<unknown>, schema: S, patienceMs = CALL_MS) => {
    let answer: unknown;
    try {
      answer = await withDeadline(`the engine's answer (${what})`, patienceMs, ask());
    } catch (cause) {
      throw engineError(what, endpoint, cause);
    }
    const parsed = strictParse(schema, answer);
    if (parsed.ok) return parsed.value;
    throw new SandboxError(
      'engine',
      `The engine at ${describeEndpoint(endpoint)} gave an unexpected answer when asked to ${what}: ${problemText(parsed.problems)}.`,
    );
  };
}

class DockerodeEngine implements Engine {
  readonly facts: EngineFacts;
  readonly #docker: Docker;
  readonly #call: Caller;

  constructor(docker: Docker, facts: EngineFacts, call: Caller) {
    this.#docker = docker;
    this.facts = facts;
    this.#call = call;
  }

  async create(spec: Parameters<Engine['create']>[0]): Promise<string> {
    // Without these two names the client repeats the whole body in the address, which proxies in front of engines refuse.
    const body = { _query: {}, _body: spec } as unknown as ContainerCreateOptions;
    const created = await this.#call('create the container', () => this.#docker.createContainer(body), IdAnswer);
    return created.id;
  }

  attach(container: string): Promise<Duplex> {
    const options = { stream: true, hijack: true, stdin: true, stdout: true, stderr: true };
    return this.#hijacked('attach to the container', () => this.#docker.getContainer(container).attach(options));
  }

  async start(container: string): Promise<void> {
    await this.#call('start the container', () => this.#docker.getContainer(container).start(), Type.Unknown());
  }

  async inspect(container: string): Promise<unknown> {
    return this.#unless(GONE, 'inspect the container', () => this.#docker.getContainer(container).inspect());
  }

  async state(container: string): Promise<ContainerState | undefined> {
    const answer = await this.inspect(container);
    return answer === undefined ? undefined : stateIn(answer);
  }

  async wait(container: string): Promise<void> {
    await this.#unless(GONE, 'wait for the container', () => this.#docker.getContainer(container).wait(), WAIT_MS);
  }

  async setCpus(container: string, cpus: number): Promise<void> {
    const body = { NanoCpus: Math.round(cpus * 1e9) };
    await this.#call('change the processors', () => this.#docker.getContainer(container).update(body), Type.Unknown());
  }

  async kill(container: string): Promise<void> {
    await this.#unless([GONE, CONFLICT], 'kill the container', () => this.#docker.getContainer(container).kill());
  }

  async remove(container: string): Promise<void> {
    const options = { force: true, v: true };
    await this.#unless([GONE, CONFLICT], 'remove the container', () =>
      this.#docker.getContainer(container).remove(options),
    );
  }

  async list(labels: Readonly<Record<string, string | true>>): ReturnType<Engine['list']> {
    const options = { all: true, filters: labelFilter(labels) };
    const answer = await this.#call('list containers', () => this.#docker.listContainers(options), ListAnswer);
    return answer.map((entry) => ({
      id: entry.Id,
      labels: entry.Labels ?? {},
      state: entry.State,
      created: entry.Created,
    }));
  }

  async createExec(container: string, spec: Parameters<Engine['createExec']>[1]): Promise<string> {
    const body = {
      User: spec.user,
      WorkingDir: spec.workingDir,
      Env: [...spec.env],
      Cmd: [...spec.cmd],
      AttachStdin: spec.stdin,
      AttachStdout: true,
      AttachStderr: true,
      Tty: false,
      Privileged: false,
    };
    const created = await this.#call(
      'prepare a process',
      () => this.#docker.getContainer(container).exec(body),
      IdAnswer,
    );
    return created.id;
  }

  startExec(exec: string, stdin: boolean): Promise<Duplex> {
    return this.#hijacked('start a process', () =>
      this.#docker.getExec(exec).start({ hijack: true, stdin, Tty: false }),
    );
  }

  async execState(exec: string): ReturnType<Engine['execState']> {
    const answer = await this.#call('inspect a process', () => this.#docker.getExec(exec).inspect(), ExecAnswer);
    return { running: answer.Running, exitCode: answer.ExitCode, pid: answer.Pid };
  }

  async inspectImage(name: string): Promise<unknown> {
    return this.#unless(GONE, 'inspect the image', () => this.#docker.getImage(name).inspect());
  }

  async images(labels: Readonly<Record<string, string | true>>): ReturnType<Engine['images']> {
    const options = { filters: labelFilter(labels) };
    const answer = await this.#call('list images', () => this.#docker.listImages(options), ImagesAnswer);
    return answer.map((entry) => ({
      id: entry.Id,
      tags: entry.RepoTags ?? [],
      labels: entry.Labels ?? {},
      created: entry.Created,
      size: entry.Size,
    }));
  }

  async removeImage(name: string): Promise<void> {
    await this.#unless(GONE, 'remove the image', () => this.#docker.getImage(name).remove());
  }

  async *build(context: Readable, options: BuildOptions): AsyncIterable<unknown> {
    const body = {
      t: options.tag,
      dockerfile: options.dockerfile,
      buildargs: { ...options.buildArgs },
      labels: { ...options.labels },
      ...(options.network ? {} : { networkmode: 'none' }),
      rm: true,
      forcerm: true,
      abortSignal: options.signal,
    };
    const stream = await this.#stream('build the image', () => this.#docker.buildImage(context, body));
    yield* buildMessages(stream);
  }

  async createVolume(name: string, labels: Readonly<Record<string, string>>): Promise<void> {
    const body = { Name: name, Driver: 'local', Labels: { ...labels } };
    await this.#call('create the volume', () => this.#docker.createVolume(body), Type.Unknown());
  }

  async volumes(labels: Readonly<Record<string, string | true>>): ReturnType<Engine['volumes']> {
    const options = { filters: labelFilter(labels) };
    const answer = await this.#call('list volumes', () => this.#docker.listVolumes(options), VolumesAnswer);
    return (answer.Volumes ?? []).map((entry) => ({ name: entry.Name, labels: entry.Labels ?? {} }));
  }

  async removeVolume(name: string): Promise<void> {
    await this.#unless(GONE, 'remove the volume', () => this.#docker.getVolume(name).remove());
  }

  /**
   * A connection that the engine handed over whole. An engine that answers without handing it over gets a wrapper from
   * dockerode that ignores back-pressure, which a flood inside would turn into our memory.
   */
  async #hijacked(what: string, ask: () => Promise<Duplex | NodeJS.ReadWriteStream>): Promise<Duplex> {
    const stream = await this.#stream(what, ask);
    if (stream instanceof Socket) return stream;
    throw new SandboxError(
      'engine',
      `The engine at ${this.facts.endpoint} does not hand over the connection to ${what}.`,
      {
        hint: 'A proxy in between may refuse "Connection: Upgrade"; talk to the engine directly.',
      },
    );
  }

  async #stream<T>(what: string, ask: () => Promise<T>): Promise<T extends Duplex ? T : Duplex> {
    let stream: unknown;
    await this.#call(
      what,
      async () => {
        stream = await ask();
      },
      Type.Unknown(),
    );
    return stream as T extends Duplex ? T : Duplex;
  }

  /** The answer, or undefined when the engine answers with one of these statuses. */
  async #unless(
    quiet: number | readonly number[],
    what: string,
    ask: () => Promise<unknown>,
    patienceMs = CALL_MS,
  ): Promise<unknown> {
    const statuses = typeof quiet === 'number' ? [quiet] : quiet;
    return this.#call(
      what,
      () =>
        ask().catch((error: unknown) => {
          if (statuses.includes(statusOf(error) ?? 0)) return undefined;
          throw error;
        }),
      Type.Unknown(),
      patienceMs,
    );
  }
}

function labelFilter(labels: Readonly<Record<string, string | true>>): string {
  const label = Object.entries(labels).map(([name, value]) => (value === true ? name : `${name}=${value}`));
  return JSON.stringify({ label });
}

function dockerOptions(endpoint: Endpoint): DockerOptions {
  const { address } = endpoint;
  if (address.kind === 'socket') return { socketPath: address.path };
  const { host, port, tls } = address;
  return tls === undefined ? { host, port, protocol: 'http' } : { host, port, protocol: 'https', ...tls };
}
