import { type Static, Type } from '@sinclair/typebox';
import { SandboxError } from '../errors.ts';
import { allowedAuthorities } from '../lib/allow-host.ts';
import { formatBytes, sentence } from '../lib/format.ts';
import { MAX_USD } from '../lib/money.ts';
import { problemText, strictParse } from '../lib/strict-parse.ts';
import { ProfileName, WorkspaceMode } from '../protocol/plan.ts';

const Positive = Type.Integer({ minimum: 1 });

/** Longest time that a timer can wait, milliseconds: some 24 days. Whole seconds, as some limits are rounded up to them. */
export const MAX_TIMER_MS = 2_147_483_000;
const Timer = Type.Integer({ minimum: 1, maximum: MAX_TIMER_MS });

const Thinking = Type.Union(
  (['off', 'minimal', 'low', 'medium', 'high', 'xhigh', 'max'] as const).map((level) => Type.Literal(level)),
);

/** Longest prompt, bytes. A larger one would not fit a context window and belongs into a file of the repository. */
export const MAX_PROMPT_BYTES = 4 * 1024 * 1024;

/** Hosts that can be allowed in one run. */
const MAX_ALLOWED = 100;

/** What the user asked for. Only `repo`, `prompt` and `model` are required; the plan resolves the rest. */
export const RunRequest = Type.Object(
  {
    /** Folder on the host, absolute. */
    repo: Type.String({ minLength: 1 }),
    prompt: Type.String({ minLength: 1 }),
    /** `provider/id` or `scripted:FILE`. */
    model: Type.String({ minLength: 1 }),
    profile: Type.Optional(ProfileName),
    /** Policy file, absolute path. Not in the repository. */
    policy: Type.Optional(Type.String({ minLength: 1 })),
    workspace: Type.Optional(WorkspaceMode),
    include: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    exclude: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    /** Whether `.pi` and `.agents` of the repository take effect, inside. */
    trustProject: Type.Optional(Type.Boolean()),
    /** pi's list syntax: names or patterns, or only `+name` and `-name`. */
    tools: Type.Optional(Type.String()),
    excludeTools: Type.Optional(Type.String()),
    /** Thinking level asked of the model. */
    thinking: Type.Optional(Thinking),
    /** Endpoint of the provider in place of its own, for compatible servers and proxies. */
    baseUrl: Type.Optional(Type.String({ minLength: 1 })),
    /** What programs inside may reach; what `allow` names, and nothing without it, when absent. */
    network: Type.Optional(Type.Union([Type.Literal('none'), Type.Literal('open'), Type.Literal('learn')])),
    /** Each `HOST` (ports 443 and 80) or `HOST:PORT`, exactly. */
    allow: Type.Optional(Type.Array(Type.String({ minLength: 1 }), { maxItems: MAX_ALLOWED })),
    image: Type.Optional(Type.String({ minLength: 1 })),
    runtime: Type.Optional(Type.String({ minLength: 1 })),
    timeoutMs: Type.Optional(Timer),
    idleTimeoutMs: Type.Optional(Timer),
    /** For bash calls that name no timeout of their own; whole seconds, rounded up. */
    bashTimeoutMs: Type.Optional(Timer),
    /** Bytes. */
    memory: Type.Optional(Positive),
    cpus: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    pids: Type.Optional(Positive),
    /** Size of the workspace, bytes. */
    disk: Type.Optional(Positive),
    maxTurns: Type.Optional(Positive),
    /** Output tokens. */
    maxTokens: Type.Optional(Positive),
    /** US dollars at list price, to the billionth. */
    maxUsd: Type.Optional(Type.Number({ exclusiveMinimum: 0, maximum: MAX_USD })),
    acceptWeaker: Type.Optional(Type.Array(Type.String({ minLength: 1 }))),
    keepOutputs: Type.Optional(Type.Boolean()),
  },
  { additionalProperties: false },
);
export type RunRequest = Static<typeof RunRequest>;

/**
 * A request from a file, the command line or a caller of the API. `nameOf` turns a JSON pointer into the name under which
 * the user gave the value. Throws SandboxError `usage`.
 */
export function parseRunRequest(value: unknown, nameOf?: (path: string) => string): RunRequest {
  const parsed = strictParse(RunRequest, value);
  if (!parsed.ok) {
    const problems = problemText(parsed.problems, nameOf);
    throw new SandboxError(
      'usage',
      sentence(nameOf === undefined ? `The run request is not valid: ${problems}` : problems),
    );
  }
  if (Buffer.byteLength(parsed.value.prompt) > MAX_PROMPT_BYTES) throw promptTooLong('The prompt');
  checkNetwork(parsed.value);
  return parsed.value;
}

function checkNetwork({ network, allow = [] }: RunRequest): void {
  for (const host of allow) allowedAuthorities(host);
  if (network !== 'none' || allow.length === 0) return;
  throw new SandboxError('usage', `--network none lets nothing through, and --allow ${allow[0]} asks for something.`, {
    hint: 'Leave one of them out: without both there is no network, and --allow alone opens what it names.',
  });
}

/** The error for a prompt over the cap. `which` begins the sentence: `The prompt on standard input`. */
export function promptTooLong(which: string): SandboxError {
  return new SandboxError('usage', `${which} is too large; at most ${formatBytes(MAX_PROMPT_BYTES)} are taken.`, {
    hint: 'Put the material into a file of the repository and let the prompt name it.',
  });
}
