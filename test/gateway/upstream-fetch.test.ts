import { gzipSync } from 'node:zlib';
import { expect, test } from 'vitest';
import { UpstreamRoute } from '../../src/gateway/upstream-fetch.ts';
import { fakeUpstream } from '../support/fake-upstream.ts';

const watch = () => ({ facts: {}, onActivity: () => undefined });

test('nothing is sent to another origin than the one of the provider', async () => {
  await using provider = await fakeUpstream((res) => void res.end('ok'));
  await using elsewhere = await fakeUpstream((res) => void res.end('stolen'));
  const pinned = new UpstreamRoute(provider.origin, []).fetchFor(watch());
  await expect(pinned(`${elsewhere.origin}/v1`, { headers: { authorization: 'k' } })).rejects.toThrow(
    'not the provider',
  );
  expect(await (await pinned(`${provider.origin}/v1`)).text()).toBe('ok');
  expect(elsewhere.requests).toEqual([]);
});

test('without a known origin the first one is kept', async () => {
  await using provider = await fakeUpstream((res) => void res.end('ok'));
  await using elsewhere = await fakeUpstream((res) => void res.end('stolen'));
  const route = new UpstreamRoute(undefined, []);
  await route.fetchFor(watch())(`${provider.origin}/v1`);
  await expect(route.fetchFor(watch())(`${elsewhere.origin}/v1`)).rejects.toThrow('not the provider');
  expect(elsewhere.requests).toEqual([]);
});

test('a compressed answer is unpacked, and a broken one is a network error', async () => {
  const packed = gzipSync('hello');
  await using provider = await fakeUpstream(
    (res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(packed),
    (res) => void res.writeHead(200, { 'content-encoding': 'gzip' }).end(packed.subarray(0, 12)),
  );
  const route = new UpstreamRoute(provider.origin, []);
  expect(await (await route.fetchFor(watch())(provider.origin)).text()).toBe('hello');
  const broken = { facts: {} as { networkCode?: string }, onActivity: () => undefined };
  await expect((await route.fetchFor(broken)(provider.origin)).text()).rejects.toThrow();
  expect(broken.facts.networkCode).toBe('Z_BUF_ERROR');
});

test.each([99, 600, 999, 204, 205])(
  'an answer of status %i, which has no body for us, leaves no connection behind',
  async (status) => {
    let closed = false;
    await using provider = await fakeUpstream((res) => {
      res.socket?.on('close', () => {
        closed = true;
      });
      // Not through writeHead, which knows what a status is.
      res.socket?.write(
        `HTTP/1.1 ${String(status).padStart(3, '0')} x\r\nTransfer-Encoding: chunked\r\n\r\n4\r\nmore\r\n`,
      );
    });
    const { facts, onActivity } = watch();
    const answer = new UpstreamRoute(provider.origin, []).fetchFor({ facts, onActivity })(provider.origin);
    if (status === 204 || status === 205) expect(await (await answer).text()).toBe('');
    else await expect(answer).rejects.toThrow('no such status');
    expect(facts).toEqual({ status });
    await expect.poll(() => closed).toBe(true);
  },
);
