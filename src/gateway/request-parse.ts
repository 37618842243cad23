import { Value } from '@sinclair/typebox/value';
import { nestsDeeperThan } from './json-depth.ts';
import { RefusedRequest } from './refusal.ts';
import { MessagesRequest } from './request-schema.ts';

/** Deepest nesting of a request body. */
const MAX_DEPTH = 64;

/** A request body as a checked value. Throws RefusedRequest `depth`, `json` or `schema`; never quotes the body. */
export function parseRequest(body: Uint8Array): MessagesRequest {
  if (nestsDeeperThan(body, MAX_DEPTH)) {
    throw new RefusedRequest(400, 'depth', `The request nests deeper than ${MAX_DEPTH} levels.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw new RefusedRequest(400, 'json', 'The request is not valid JSON in UTF-8.');
  }
  if (Value.Check(MessagesRequest, value)) return value;
  // The path consists of our own field names and numbers, except inside free-form records.
  const path = Value.Errors(MessagesRequest, value).First()?.path ?? '';
  throw new RefusedRequest(
    400,
    'schema',
    `The request is not what pi sends: /${path.split('/').slice(1, 5).join('/')}.`,
  );
}
