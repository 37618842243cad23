import type { GateAnswer } from '../../src/protocol/gate.ts';

/** The host's answer, checked by hand: nothing but our own code runs here. Throws for anything else. */
export function readAnswer(text: string): GateAnswer {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('its answer is not JSON');
  }
  if (isObject(value) && value['v'] === 1) {
    const { verdict, reason, arguments: args } = value;
    const keys = Object.keys(value).length;
    if (verdict === 'allow' && keys === 2) return { v: 1, verdict };
    if (verdict === 'deny' && typeof reason === 'string' && keys === 3) return { v: 1, verdict, reason };
    if (verdict === 'change' && isObject(args) && keys === 3) return { v: 1, verdict, arguments: args };
  }
  throw new Error('its answer is none that the guard knows');
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
