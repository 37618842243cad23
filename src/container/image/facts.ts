import { type Static, Type } from '@sinclair/typebox';
import { Errors } from '@sinclair/typebox/errors';
import { Check } from '@sinclair/typebox/value';
import { SandboxError } from '../../errors.ts';

const Nullable = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) =>
  Type.Optional(Type.Union([schema, Type.Null()]));

/** What an engine says about an image, the parts that matter here. */
export const ImageFacts = Type.Object({
  Id: Type.String(),
  Architecture: Type.Optional(Type.String()),
  Os: Type.Optional(Type.String()),
  Config: Nullable(
    Type.Object({
      Labels: Nullable(Type.Record(Type.String(), Type.String())),
      Env: Nullable(Type.Array(Type.String())),
      Volumes: Nullable(Type.Record(Type.String(), Type.Unknown())),
      OnBuild: Nullable(Type.Array(Type.String())),
      Healthcheck: Nullable(Type.Object({ Test: Nullable(Type.Array(Type.String())) })),
    }),
  ),
});
export type ImageFacts = Static<typeof ImageFacts>;

/** Reads an engine's answer about an image. Undefined stays undefined: there is no such image. */
export function imageFacts(name: string, answer: unknown): ImageFacts | undefined {
  if (answer === undefined) return undefined;
  if (Check(ImageFacts, answer)) return answer;
  const first = Errors(ImageFacts, answer).First();
  throw new SandboxError(
    'engine',
    `The engine's answer about the image ${name} cannot be read (${first?.path}: ${first?.message}).`,
  );
}
