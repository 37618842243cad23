import { type Static, Type } from '@sinclair/typebox';

/**
 * A secret of the user was about to go to the model: an observed record, once for each secret of a run. The value is
 * nowhere in it.
 */
export const SecretSeenRecord = Type.Object({
  source: Type.Literal('observed'),
  type: Type.Literal('secret.seen'),
  /** Name of the environment variable, or `the key of the model`. */
  secret: Type.String(),
  /** `result of bash`, `system prompt`, `message of the user`, `answer of the model`. */
  where: Type.String(),
  /** `redacted`: the model got the rest of the text; `blocked`: the request was not made, and the run ended. */
  action: Type.Union([Type.Literal('redacted'), Type.Literal('blocked')]),
  message: Type.String(),
});
export type SecretSeenRecord = Static<typeof SecretSeenRecord>;
