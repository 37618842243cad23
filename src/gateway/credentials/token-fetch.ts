import { AsyncLocalStorage } from 'node:async_hooks';
import type { UpstreamFacts } from '../upstream-error.ts';
import { UpstreamRoute, type UpstreamWay } from '../upstream-fetch.ts';

const routed = new AsyncLocalStorage<typeof fetch>();
let installed: typeof fetch | undefined;

/**
 * Runs `work`, whose calls of the global `fetch` become calls of `own`. pi-ai renews logins with the global one, which takes
 * nothing that could lead it through a company's proxy. Everybody else's calls stay what they were.
 */
export function withFetch<T>(own: typeof fetch, work: () => Promise<T>): Promise<T> {
  if (globalThis.fetch !== installed) {
    const original = globalThis.fetch;
    installed = (input, init) => (routed.getStore() ?? original)(input, init);
    globalThis.fetch = installed;
  }
  return routed.run(own, work);
}

/** Reaches the servers that renew logins: over https, without following, answers bounded. Notes in `facts` what it saw. */
export function tokenFetch(way: UpstreamWay, facts: UpstreamFacts): typeof fetch {
  return async (input, init) => {
    const request = new Request(input, init);
    const { protocol, origin } = new URL(request.url);
    if (protocol !== 'https:') throw new TypeError('fetch failed: a login is renewed over https only');
    const route = new UpstreamRoute(origin, [...request.headers.keys()], way);
    try {
      const answer = await route.fetchFor({ facts, onActivity: () => {} })(request);
      const body = await answer.arrayBuffer();
      return new Response(answer.status === 204 || answer.status === 205 ? null : body, {
        status: answer.status,
        headers: answer.headers,
      });
    } finally {
      route.close();
    }
  };
}
