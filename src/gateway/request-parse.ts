import { Errors } from '@sinclair/typebox/errors';
import { Check } from '@sinclair/typebox/value';
import { exceededBy } from '../lib/json-shape.ts';
import { RefusedRequest } from './refusal.ts';
import { MessagesRequest } from './request-schema.ts';

/** A long conversation has some ten thousand values; the bulk of a large body is text and images. */
const JSON_LIMITS = { depth: 64, values: 500_000 };

/** A request body as a checked value. Throws RefusedRequest `depth`, `values`, `json` or `schema`; never quotes the body. */
export function parseRequest(body: Uint8Array): MessagesRequest {
  const exceeded = exceededBy(body, JSON_LIMITS);
  if (exceeded === 'depth') {
    throw new RefusedRequest(400, 'depth', `The request nests deeper than ${JSON_LIMITS.depth} levels.`);
  }
  if (exceeded === 'values') {
    throw new RefusedRequest(400, 'values', `The request has more than ${JSON_LIMITS.values} values.`);
  }
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    throw new RefusedRequest(400, 'json', 'The request is not valid JSON in UTF-8.');
  }
  if (Check(MessagesRequest, value)) return value;
  // The path consists of our own field names and numbers, except inside free-form records.
  const path = Errors(MessagesRequest, value).First()?.path ?? '';
  throw new RefusedRequest(
    400,
    'schema',
    `The request is not what pi sends: /${path.split('/').slice(1, 5).join('/')}.`,
  );
}
