import { once } from 'node:events';
import { connect as connectHttp2, performServerHandshake, type ServerHttp2Stream } from 'node:http2';
import { duplexPair } from 'node:stream';
import { expect, test } from 'vitest';
import { resolveModel } from '../../src/gateway/model-source.ts';
import { fakeUpstream, sse } from '../support/fake-upstream.ts';
import { ANTHROPIC, COMPLETIONS } from '../support/fake-upstream-styles.ts';
import { askAsPi, post, requestBody, startGateway, systemMessage, userMessage } from './harness.ts';

const tour = () => resolveModel('scripted:examples/scenarios/tour.yaml', { env: () => undefined, cwd: '.' });
const OPENING = [systemMessage(), userMessage('hi')];
const TOUR_TOOLS = ['bash', 'read'];

test('a stream of an HTTP/2 session serves as connection, as on the wire', async () => {
  const harness = await startGateway(await tour(), { tools: TOUR_TOOLS });
  const [guest, host] = duplexPair();
  const session = performServerHandshake(host);
  session.on('stream', (stream: ServerHttp2Stream) => {
    stream.respond({ ':status': 200 });
    harness.gateway.handleStream(stream);
  });
  const client = connectHttp2('http://gateway', { createConnection: () => guest });
  const request = client.request({ ':method': 'CONNECT', ':authority': 'gateway:80' }, { endStream: false });
  let answer = '';
  request.on('data', (piece: Buffer) => {
    answer += piece.toString();
  });
  request.write(post(requestBody('tour')));
  await once(request, 'end');
  expect(answer).toMatch(/^HTTP\/1\.1 200 OK/);
  expect(answer.match(/"type":"done"/g)).toHaveLength(1);
  client.destroy();
  session.destroy();
  await harness.close();
});

test('a session that dies in the middle of an answer ends the call and nothing else', async () => {
  const source = await resolveModel('scripted:examples/scenarios/failures.yaml', { env: () => undefined, cwd: '.' });
  const harness = await startGateway(source, { tools: TOUR_TOOLS });
  const [client, server] = duplexPair();
  client.on('error', () => undefined);
  harness.gateway.handleStream(server);
  client.write(post(requestBody('scripted')));
  await once(client, 'data');
  server.destroy(new Error('the session died'));
  await expect.poll(() => harness.ledger.at(-1)).toMatchObject({ entry: 'close' });
  expect(harness.failures).toEqual([]);
  expect(await askAsPi(harness, 'scripted', OPENING)).toMatchObject({
    stopReason: 'error',
  });
  await harness.close();
});

test('a container that does not read stops the reading from the provider, and is not the silence of it', {
  timeout: 90_000,
}, async () => {
  const idleMs = 1_000;
  const CHUNK = JSON.stringify({ id: 'c', choices: [{ index: 0, delta: { content: 'x'.repeat(16_000) } }] });
  let taken = 0;
  let takenAt = 0;
  await using upstream = await fakeUpstream(sse(...COMPLETIONS.say({ text: 'Hello.' })), async (res) => {
    let wake = (): void => undefined;
    res.on('drain', () => wake()).on('close', () => wake());
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    for (let i = 0; i < 4_000 && !res.destroyed; i++) {
      taken += CHUNK.length;
      takenAt = performance.now();
      if (!res.write(`data: ${CHUNK}\n\n`)) await new Promise((resolve) => (wake = resolve as () => void));
    }
    res.end();
  });
  const source = await resolveModel(COMPLETIONS.spec, {
    env: () => 'key-0123456789',
    cwd: '/',
    baseUrl: upstream.origin,
  });
  // The first call loads the provider's client, which takes a busy machine longer than the silence that is allowed below.
  const patient = await startGateway(source, { limits: { idleMs: 60_000 } });
  expect(await askAsPi(patient, COMPLETIONS.id, OPENING)).toMatchObject({ stopReason: 'stop' });
  await patient.close();
  const harness = await startGateway(source, { limits: { idleMs } });
  // Nothing in between that would take more than an answer may say.
  const [socket, server] = duplexPair();
  harness.gateway.handleStream(server);
  socket.write(post(requestBody(COMPLETIONS.id)));
  const stopped = () => taken > 0 && performance.now() - takenAt > 2 * idleMs;
  const over = () => harness.ledger.find(({ entry }) => entry === 'close');
  await expect.poll(() => stopped() || over() !== undefined, { interval: 100, timeout: 60_000 }).toBe(true);
  expect(over()).toBeUndefined();
  // What lies in the buffers of a loopback connection, of 64 MB.
  expect(taken).toBeLessThan(24_000_000);
  expect(harness.gateway.state.inFlight).toBe(1);
  expect(harness.failures).toEqual([]);
  server.destroy();
  await expect.poll(() => harness.gateway.state.inFlight, { timeout: 5_000 }).toBe(0);
  expect(harness.ledger.at(-1)).toMatchObject({ entry: 'close', stopReason: 'aborted', usage: { estimated: true } });
  await harness.close();
});

test('an auth token in place of a key goes out as bearer, and nothing else does (D32)', async () => {
  await using upstream = await fakeUpstream(sse(...ANTHROPIC.say({ text: 'Hello.' })));
  const env = (name: string) => (name === 'ANTHROPIC_AUTH_TOKEN' ? 'token-0123456789' : undefined);
  const source = await resolveModel(ANTHROPIC.spec, { env, cwd: '/', baseUrl: `${upstream.origin}/prefix` });
  const harness = await startGateway(source);
  expect(await askAsPi(harness, ANTHROPIC.id, OPENING)).toMatchObject({
    stopReason: 'stop',
  });
  const { rawHeaders, url } = upstream.requests[0]!;
  expect(url).toMatch(/^\/prefix\/v1\/messages/);
  expect(rawHeaders).toContain('Bearer token-0123456789');
  expect(rawHeaders.map((name) => name.toLowerCase())).not.toContain('x-api-key');
  await harness.close();
});
