import type { GateRefusal } from '../gateway/gate-port.ts';
import { exceededBy } from '../lib/json-shape.ts';
import { problemText, strictParse } from '../lib/strict-parse.ts';
import { GateRequest } from '../protocol/gate.ts';
import { MAX_NOTE_CHARS, QUESTION_JSON } from './limits.ts';

/** A question as a checked value, or why it is none. */
export function parseQuestion(body: Buffer): GateRequest | GateRefusal {
  const exceeded = exceededBy(body, QUESTION_JSON);
  if (exceeded !== undefined) return refusal(exceeded, `The question exceeds ${QUESTION_JSON[exceeded]} ${exceeded}.`);
  let value: unknown;
  try {
    value = JSON.parse(new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(body));
  } catch {
    return refusal('json', 'The question is not valid JSON in UTF-8.');
  }
  const parsed = strictParse(GateRequest, value);
  if (parsed.ok) return parsed.value;
  return refusal('schema', `The question is not what the guard asks: ${problemText(parsed.problems)}.`);
}

function refusal(refused: GateRefusal['refused'], message: string): GateRefusal {
  return { refused, status: 400, message: message.slice(0, MAX_NOTE_CHARS) };
}

export function isRefusal(question: GateRequest | GateRefusal): question is GateRefusal {
  return 'status' in question;
}
