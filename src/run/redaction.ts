import type { GatewayDelta } from '../gateway/gateway.ts';
import type { RequestRedaction } from '../gateway/redact-request.ts';
import type { LinearRegExp } from '../lib/linear-regexp.ts';
import { type OwnSecret, ownSecrets } from '../policy/redact/own-secrets.ts';
import { Redactor } from '../policy/redact/redactor.ts';
import type { Policy } from '../protocol/policy.ts';
import type { NewRecord } from '../protocol/record.ts';
import type { RunHost } from './host.ts';
import { RedactedBytes } from './redacted-bytes.ts';
import { RedactedDeltas, RedactedUpdates } from './redacted-deltas.ts';

/** Name under which a credential goes on record that is not in a variable of the environment. */
const MODEL_KEY = 'the key of the model';
/** Shortest credential that is looked for, characters: as for all that leaves the gateway. */
const MIN_CREDENTIAL = 8;

export interface RedactionParts {
  readonly policy: Policy['redaction'];
  /** What the model is asked with. */
  readonly credentials: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Paths of the run and other values that are no secrets, whatever the name of their variable says. */
  readonly noSecrets: readonly string[];
}

/** The one point that everything passes before a person, a program or a file on the host gets it. */
export class RunRedaction {
  readonly #redactor: Redactor;
  readonly #ownSecrets: Policy['redaction']['ownSecrets'];
  readonly #updates: RedactedUpdates;
  readonly #prompts = new Set<string>();

  private constructor(redactor: Redactor, ownSecrets: Policy['redaction']['ownSecrets']) {
    this.#redactor = redactor;
    this.#ownSecrets = ownSecrets;
    this.#updates = new RedactedUpdates(redactor);
  }

  static async create({ policy, credentials, environment, noSecrets }: RedactionParts): Promise<RunRedaction> {
    const own = policy.ownSecrets === 'off' ? [] : ownSecrets(environment, noSecrets);
    const keys = credentials
      .filter((value) => value.length >= MIN_CREDENTIAL && !own.some((secret) => secret.value === value))
      .map((value): OwnSecret => ({ name: nameOf(value, environment), value }));
    return new RunRedaction(
      new Redactor({ known: policy.known, own: [...keys, ...own], patterns: await compiled(policy.patterns) }),
      policy.ownSecrets,
    );
  }

  /** Credentials of the model that came later: a login that was renewed. */
  learn(credentials: readonly string[]): void {
    this.#redactor.learn(
      credentials.filter((value) => value.length >= MIN_CREDENTIAL).map((value) => ({ name: MODEL_KEY, value })),
    );
  }

  /** For the gateway: what goes to the model. */
  toModel(record: RequestRedaction['record']): RequestRedaction {
    return {
      redactor: this.#redactor,
      ownSecrets: this.#ownSecrets,
      isPrompt: (text) => this.#prompts.has(text),
      record,
    };
  }

  /** The user says this to the model. */
  prompt<T extends string | undefined>(text: T): T {
    if (text !== undefined) this.#prompts.add(text);
    return text;
  }

  /** What is recorded for one entry: live text that was held back comes before the entry that ends it. */
  records(entry: NewRecord): NewRecord[] {
    return this.#updates.take(entry);
  }

  json<T>(value: T): T {
    return this.#redactor.deep(value);
  }

  bytes(): RedactedBytes {
    return new RedactedBytes(this.#redactor.window());
  }

  /** `host`, with what it is told redacted. Records and questions are, before they get there. */
  around(host: RunHost): RunHost {
    const deltas = new RedactedDeltas(this.#redactor, host.onDelta);
    const { askNext } = host;
    return {
      ...host,
      onDelta: (delta: GatewayDelta) => deltas.take(delta),
      progress: (text) => host.progress(this.json(text)),
      warn: (text) => host.warn(this.json(text)),
      ...(askNext === undefined ? {} : { askNext: async () => this.prompt(await askNext()) }),
    };
  }
}

function nameOf(value: string, environment: RedactionParts['environment']): string {
  return Object.entries(environment).find(([, known]) => known === value)?.[0] ?? MODEL_KEY;
}

/** The engine for patterns is loaded where there are some. */
async function compiled(patterns: Policy['redaction']['patterns']): Promise<{ id: string; regexp: LinearRegExp }[]> {
  if (patterns.length === 0) return [];
  const { linearRegExp } = await import('../lib/linear-regexp.ts');
  return patterns.map(({ id, pattern }) => ({ id, regexp: linearRegExp(pattern) }));
}
