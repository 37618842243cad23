import type { AssistantMessageEvent, Message, Usage } from '@earendil-works/pi-ai';
import { SandboxError } from '../errors.ts';
import type { PlannedModel } from '../protocol/model.ts';
import type { ModelIdentity } from './conversation.ts';
import type { Scrubber } from './scrub.ts';

export interface CallOptions {
  /** Output tokens. */
  readonly maxTokens?: number;
  readonly temperature?: number;
  /** Thinking level; `off` or absent for none. A level given when the model was resolved wins. */
  readonly reasoning?: string;
  readonly toolChoice?: 'auto' | 'none';
  readonly cacheRetention?: 'none' | 'short';
  /** Called whenever anything comes from the provider, also while it yields no event. */
  readonly onActivity?: () => void;
  /** Awaited before more is read from the provider: back-pressure. */
  readonly pace?: () => Promise<void>;
}

/**
 * One model on the host, with its credentials inside. Yields pi-ai's events; the last one is `done` or `error`, and an
 * error's `errorMessage` is a text of ours with the category in `rawStopReason`.
 */
export interface ModelSource {
  readonly model: PlannedModel;
  /** What assistant messages must carry so that their signatures are sent back. */
  readonly identity: ModelIdentity;
  stream(messages: readonly Message[], options: CallOptions, signal: AbortSignal): AsyncIterable<AssistantMessageEvent>;
  /** Knows the credentials of this model. */
  readonly scrubber: Scrubber;
  /** US dollars, from list prices. */
  price(usage: Pick<Usage, 'input' | 'output' | 'cacheRead' | 'cacheWrite'>): number;
  /** Most that a call can cost, US dollars: so much input at any price that the model has for it, and so many output tokens asked for. */
  worstPrice(tokens: { readonly input: number; readonly output: number }): number;
  /** Why the run must end: a scenario that went off script. */
  failure?(): string | undefined;
  /**
   * Makes sure that the credentials can be used now: a login that is about to expire is renewed. Rejects with SandboxError `model`, or
   * with the reason of the signal, after which what is under way goes on until `settled`.
   */
  renew?(signal?: AbortSignal): Promise<void>;
  /** Settles when nothing is being written on the host: a login that is being renewed. */
  settled?(): Promise<void>;
  /** Closes connections to the provider. */
  close?(): void;
}

export interface ResolveOptions {
  /** The only way to the environment. */
  readonly env: (name: string) => string | undefined;
  /** All of it, for commands that print keys; without it they get PATH and HOME. */
  readonly environment?: () => Readonly<Record<string, string | undefined>>;
  /** Scenario files are relative to it. */
  readonly cwd: string;
  /** Folder with pi's `auth.json` and `models.json`, absolute; without one only the environment has credentials. */
  readonly piFolder?: string;
  /** Rejects when a file of that folder must not be read, because somebody else than the user writes it. */
  readonly checkFile?: (path: string) => Promise<void>;
  /** In place of the way to servers that renew logins. */
  readonly tokenFetch?: typeof fetch;
  /** Endpoint in place of the provider's own, for compatible servers and proxies. */
  readonly baseUrl?: string;
  /** `off`, `minimal`, `low`, `medium`, `high`, `xhigh` or `max`; without it pi in the container decides. */
  readonly thinking?: string;
}

const SCRIPTED = 'scripted:';

/**
 * The model that `spec` names: `provider/id`, `scripted:FILE` or `scripted:FILE#MODEL`. Loads only what that model
 * needs. Throws SandboxError `model` (unknown, or no credentials) or `scenario`.
 */
export async function resolveModel(spec: string, options: ResolveOptions): Promise<ModelSource> {
  if (spec.startsWith(SCRIPTED)) {
    if (options.baseUrl !== undefined) {
      throw new SandboxError('usage', '--base-url can have no effect on a scripted model: it asks no server.', {
        hint: 'Leave --base-url out, or name a model of a provider.',
      });
    }
    const { scriptedSource } = await import('./scripted-source.ts');
    return scriptedSource(spec, spec.slice(SCRIPTED.length), options.cwd);
  }
  if (/^https?:\/\//.test(spec)) {
    throw new SandboxError('model', 'An address does not say which model is meant, and how its server is spoken to.', {
      hint: "Write --model openai-completions/MODEL --base-url ADDRESS/v1 for Ollama, vLLM, llama.cpp and the like, or describe the server in pi's models.json.",
    });
  }
  if (!spec.includes('/')) {
    throw new SandboxError('model', `"${spec}" does not name a model: the provider is missing.`, {
      hint: 'Write it as provider/model, for example anthropic/claude-opus-4-7, or as scripted:FILE.',
    });
  }
  const { providerSource } = await import('./provider-source.ts');
  return providerSource(spec, options);
}
