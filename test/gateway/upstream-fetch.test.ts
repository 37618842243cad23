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
