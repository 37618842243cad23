import { type Static, Type } from '@sinclair/typebox';
import { SandboxError } from '../errors.ts';
import { problemText, strictParse } from '../lib/strict-parse.ts';

/** What we read of pi's answer to get_state. */
const PiState = Type.Object(
  {
    model: Type.Object(
      {
        id: Type.String(),
        provider: Type.String(),
        baseUrl: Type.String(),
        contextWindow: Type.Integer(),
        maxTokens: Type.Integer(),
      },
      { additionalProperties: true },
    ),
  },
  { additionalProperties: true },
);

export interface ExpectedModel {
  readonly id: string;
  readonly provider: string;
  readonly baseUrl: string;
  readonly contextWindow: number;
  readonly maxTokens: number;
}

/**
 * Compares the model that pi says it uses with the plan. pi ignores a broken provider entry without a word and falls
 * back to another one, so this is asked before the prompt is sent. Throws SandboxError `wire`.
 */
export function checkPiState(data: unknown, expected: ExpectedModel): void {
  const parsed = strictParse(PiState, data);
  if (!parsed.ok) throw new SandboxError('wire', `pi's state is not as expected: ${problemText(parsed.problems)}.`);
  const model: Static<typeof PiState>['model'] = parsed.value.model;
  for (const [name, value] of Object.entries(expected)) {
    if (model[name as keyof typeof model] === value) continue;
    throw new SandboxError(
      'wire',
      `pi would use another model than planned: ${name} is ${String(model[name as keyof typeof model])}, not ${value}.`,
    );
  }
}
