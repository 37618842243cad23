import type { Engine } from '../engine.ts';

/** The part of an engine that building and choosing images needs. */
export type ImageEngine = Pick<Engine, 'inspectImage' | 'images' | 'removeImage' | 'build'> & {
  readonly facts: Pick<Engine['facts'], 'arch'>;
};
