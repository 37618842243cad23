import { askEarly } from '../container/early-questions.ts';
import { findEndpoint } from '../container/endpoint.ts';
import type { Engine } from '../container/engine.ts';
import { environment } from './environment.ts';

/** Connects to the engine that the docker command would use. */
export async function connectEngine(): Promise<Engine> {
  const endpoint = await findEndpoint(environment.endpoint);
  const early = askEarly(endpoint);
  const client = await import('../container/dockerode-client.ts');
  return client.connectEngine(endpoint, early);
}
