import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';

/** What arrived at a provider. */
export interface UpstreamRequest {
  readonly method: string;
  readonly url: string;
  /** As sent, names in their case, duplicates kept. */
  readonly rawHeaders: readonly string[];
  readonly body: string;
}

/** How the fake answers one request. */
export type UpstreamAnswer = (res: ServerResponse, req: IncomingMessage) => void | Promise<void>;

export interface FakeUpstream extends AsyncDisposable {
  readonly origin: string;
  readonly requests: UpstreamRequest[];
  /** Answers for the requests to come, in order. A request too many gets 500. */
  readonly answers: UpstreamAnswer[];
}

/** A provider on loopback that keeps everything it is sent. */
export async function fakeUpstream(...answers: UpstreamAnswer[]): Promise<FakeUpstream> {
  const requests: UpstreamRequest[] = [];
  const server = createServer(async (req, res) => {
    const pieces: Buffer[] = [];
    for await (const piece of req) pieces.push(piece);
    const body = Buffer.concat(pieces).toString();
    requests.push({ method: req.method ?? '', url: req.url ?? '', rawHeaders: req.rawHeaders, body });
    const answer = answers.shift();
    if (answer === undefined) res.writeHead(500).end();
    else await answer(res, req);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    answers,
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** Server-sent events: objects as data lines; a pair is an event with a name. */
export type SseRecord = object | '[DONE]' | readonly [event: string, data: object];

export function sse(...records: SseRecord[]): UpstreamAnswer {
  return (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const record of records) res.write(sseText(record));
    res.end();
  };
}

/** The same, but the connection is torn down instead of ended. */
export function sseCut(...records: SseRecord[]): UpstreamAnswer {
  return (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (const record of records) res.write(sseText(record));
    // The client must have the text before the connection breaks, or nothing partial is left to show.
    setTimeout(() => res.destroy(), 30);
  };
}

export function failure(status: number, body: object, headers: Record<string, string> = {}): UpstreamAnswer {
  return (res) => {
    res.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

/** Waits before the first byte, headers included. */
export function late(ms: number, answer: UpstreamAnswer): UpstreamAnswer {
  return async (res, req) => {
    await new Promise((resolve) => setTimeout(resolve, ms));
    await answer(res, req);
  };
}

export function sseText(record: SseRecord): string {
  if (record === '[DONE]') return 'data: [DONE]\n\n';
  if (Array.isArray(record)) return `event: ${record[0]}\ndata: ${JSON.stringify(record[1])}\n\n`;
  return `data: ${JSON.stringify(record)}\n\n`;
}
