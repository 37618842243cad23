import type { AddressInfo } from 'node:net';
import { createServer, type Server, type Socket } from 'node:net';
import type { AssistantMessage, Message, Model, Tool } from '@earendil-works/pi-ai';
import { streamSimple } from '@earendil-works/pi-ai/api/pi-messages';
import type { GatePort } from '../../src/gateway/gate-port.ts';
import { Gateway, type GatewayDelta, type GatewayFailure } from '../../src/gateway/gateway.ts';
import type { ModelSource } from '../../src/gateway/model-source.ts';
import type { RequestRedaction } from '../../src/gateway/redact-request.ts';
import type { LedgerEntry } from '../../src/protocol/ledger.ts';
import type { GatewayLimits } from '../../src/protocol/model.ts';
import type { NewRecord } from '../../src/protocol/record.ts';

export const TOOLS = ['bash', 'read'];

export const LIMITS: GatewayLimits = {
  requests: 20,
  concurrentCalls: 4,
  requestBytes: 1 << 20,
  totalRequestBytes: 8 << 20,
  outputTokensPerCall: 4_000,
  outputTokens: 100_000,
  idleMs: 5_000,
};

/** A gateway behind a loopback port, with everything that it tells written down. */
export interface Harness {
  readonly gateway: Gateway;
  readonly port: number;
  readonly ledger: LedgerEntry[];
  readonly records: NewRecord[];
  readonly deltas: GatewayDelta[];
  readonly failures: GatewayFailure[];
  /** Ledger lines and terminal sends in the order in which they happened. */
  close(): Promise<void>;
}

export async function startGateway(
  source: ModelSource,
  options: {
    limits?: Partial<GatewayLimits>;
    tools?: readonly string[];
    ledger?: (entry: LedgerEntry) => void;
    redaction?: Omit<RequestRedaction, 'record'>;
    gate?: GatePort;
    wallMs?: number;
    now?: () => number;
  } = {},
): Promise<Harness> {
  const ledger: LedgerEntry[] = [];
  const records: NewRecord[] = [];
  const deltas: GatewayDelta[] = [];
  const failures: GatewayFailure[] = [];
  const gateway = new Gateway({
    run: 'run-1',
    source,
    limits: { ...LIMITS, ...options.limits },
    tools: options.tools ?? TOOLS,
    ...(options.redaction && { redaction: { ...options.redaction, record: (record) => void records.push(record) } }),
    ...(options.gate === undefined ? {} : { gate: options.gate }),
    ...(options.wallMs === undefined ? {} : { wallMs: options.wallMs }),
    ...(options.now === undefined ? {} : { now: options.now }),
    record: (record) => void records.push(record),
    ledger: (entry) => {
      options.ledger?.(entry);
      ledger.push(entry);
    },
    onDelta: (delta) => void deltas.push(delta),
    onFailure: (failure) => void failures.push(failure),
  });
  const sockets = new Set<Socket>();
  const server: Server = createServer({ allowHalfOpen: true }, (socket) => {
    sockets.add(socket);
    gateway.handleStream(socket);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    gateway,
    port: (server.address() as AddressInfo).port,
    ledger,
    records,
    deltas,
    failures,
    close: async () => {
      await gateway.close();
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

const TOOL = (name: string): Tool => ({ name, description: `the ${name} tool`, parameters: { type: 'object' } });

export function systemMessage(tools: readonly string[] = TOOLS): Message {
  return { role: 'system', content: 'You are a test.', toolsAdded: tools.map(TOOL), timestamp: 1 };
}

export function userMessage(text: string): Message {
  return { role: 'user', content: text, timestamp: 2 };
}

export function toolResult(call: { id: string; name: string }, text: string): Message {
  return {
    role: 'toolResult',
    toolCallId: call.id,
    toolName: call.name,
    content: [{ type: 'text', text }],
    isError: false,
    timestamp: 3,
  };
}

/** The model entry of pi in the container. */
export function containerModel(harness: Harness, id: string): Model<'pi-messages'> {
  return {
    id,
    name: id,
    api: 'pi-messages',
    provider: 'host',
    baseUrl: `http://127.0.0.1:${harness.port}`,
    reasoning: true,
    input: ['text'],
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
    contextWindow: 128_000,
    maxTokens: 8192,
  };
}

/** One call with pi's own client of the protocol. */
export async function askAsPi(
  harness: Harness,
  id: string,
  messages: readonly Message[],
  options: {
    signal?: AbortSignal;
    sessionId?: string;
    reasoning?: 'low' | 'medium';
    headers?: Record<string, string>;
  } = {},
): Promise<AssistantMessage> {
  const stream = streamSimple(
    containerModel(harness, id),
    { messages: [...messages] } as Parameters<typeof streamSimple>[1],
    { apiKey: 'placeholder', ...options },
  );
  return stream.result();
}

/** Sends bytes and returns everything that comes back until the other side ends. */
export async function rawExchange(harness: Harness, bytes: string | Buffer): Promise<string> {
  const { connect } = await import('node:net');
  return new Promise((resolve) => {
    const socket = connect(harness.port, '127.0.0.1');
    const pieces: Buffer[] = [];
    socket.on('data', (piece: Buffer) => pieces.push(piece));
    socket.on('error', () => undefined);
    socket.on('end', () => socket.destroy());
    socket.on('close', () => resolve(Buffer.concat(pieces).toString()));
    socket.write(bytes);
  });
}

/** A `POST /messages` in full. */
export function post(body: string, headers: Record<string, string> = {}): string {
  const lines = Object.entries({
    Host: 'gateway',
    'Content-Type': 'application/json',
    'Content-Length': String(Buffer.byteLength(body)),
    ...headers,
  }).map(([name, value]) => `${name}: ${value}\r\n`);
  return `POST /messages HTTP/1.1\r\n${lines.join('')}\r\n${body}`;
}

export function requestBody(
  model: string,
  messages: readonly Message[] = [systemMessage(), userMessage('hi')],
): string {
  return JSON.stringify({ model, context: { messages }, options: {} });
}
