/**
 * Says whether a container engine answers where pi-sandbox will look for it. Prints its version and exits 0, or prints
 * why not and exits 1 (nothing at the default socket) or 3 (an endpoint that the user named does not answer).
 */

import { connectEngine } from '../src/container/dockerode-client.ts';
import { findEndpoint } from '../src/container/endpoint.ts';
import { messageOf } from '../src/errors.ts';

/** An engine that accepts the connection and then says nothing is not there, seconds. */
const DEADLINE_SECONDS = 10;
const NOTHING_THERE = 1;
const NAMED_BUT_SILENT = 3;

function leave(text: string, code: number): never {
  console.log(text);
  process.exit(code);
}

let named = true;
setTimeout(() => {
  leave(
    `The engine accepted the connection and said nothing for ${DEADLINE_SECONDS} s.`,
    named ? NAMED_BUT_SILENT : NOTHING_THERE,
  );
}, DEADLINE_SECONDS * 1000);

try {
  const endpoint = await findEndpoint(process.env);
  named = endpoint.source !== 'the default socket';
  const engine = await connectEngine(endpoint);
  leave(engine.facts.version, 0);
} catch (error) {
  leave(messageOf(error), named ? NAMED_BUT_SILENT : NOTHING_THERE);
}
