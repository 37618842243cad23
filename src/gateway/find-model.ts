import type { Api, Model, Provider } from '@earendil-works/pi-ai';
import { SandboxError } from '../errors.ts';
import { nearest } from '../lib/nearest.ts';
import { THINKING_LEVELS } from './pi-ai-source.ts';

/** Model ids in an error. */
const MODELS_SHOWN = 20;

/** Exact id first; then, as pi does, an id with a thinking level behind a colon. Throws SandboxError `model`. */
export function findModel(provider: Provider, id: string): { model: Model<Api>; thinking?: string } {
  const models = provider.getModels();
  const exact = models.find((model) => model.id === id);
  if (exact !== undefined) return { model: exact };
  const colon = id.lastIndexOf(':');
  const level = id.slice(colon + 1);
  if (colon > 0 && THINKING_LEVELS.includes(level)) {
    const model = models.find((candidate) => candidate.id === id.slice(0, colon));
    if (model !== undefined) return { model, thinking: level };
  }
  const ids = models.map((model) => model.id);
  const guess = nearest(id, ids) ?? ids.find((known) => known.includes(id));
  const shown = ids.slice(0, MODELS_SHOWN).join(', ');
  const more = ids.length > MODELS_SHOWN ? ` and ${ids.length - MODELS_SHOWN} more` : '';
  throw new SandboxError('model', `Provider "${provider.id}" has no model "${id}".`, {
    hint:
      guess === undefined
        ? `Known models: ${shown}${more}. For other servers write openai-completions/MODEL with --base-url.`
        : `Did you mean "${provider.id}/${guess}"?`,
  });
}
