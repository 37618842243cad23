import { type Static, Type } from '@sinclair/typebox';
import { McpServers } from './mcp-server.ts';
import { PolicyLayers, ProfileName, WorkspaceMode } from './plan.ts';
import { CommandRule, Glob, PathRule, RedactionPattern, RuleId, ToolRule, Verdict } from './policy-rules.ts';

export {
  CommandRule,
  PathAccess,
  PathRule,
  RedactionPattern,
  ToolAnnotations,
  ToolRule,
  Verdict,
} from './policy-rules.ts';

const strict = { additionalProperties: false } as const;

/** What cannot be told before it runs is never simply allowed. */
const Unclear = Type.Union([Type.Literal('ask'), Type.Literal('deny')]);
const OwnSecrets = Type.Union([Type.Literal('off'), Type.Literal('report'), Type.Literal('block')]);
const Duration = Type.String({ minLength: 2, maxLength: 16 });
const Size = Type.String({ minLength: 1, maxLength: 16 });
const Count = Type.Integer({ minimum: 1 });
/** US dollars. */
const Usd = Type.Number({ exclusiveMinimum: 0, maximum: 1_000_000 });

/** What holds for paths that no rule names. */
const PathDefaultFile = Type.Object(
  {
    /** To read, list or search. */
    read: Type.Optional(Verdict),
    write: Type.Optional(Verdict),
  },
  strict,
);
const PathDefault = Type.Object({ read: Verdict, write: Verdict }, strict);

/** A policy file: one layer. What is absent is left as the layers before have it. */
export const PolicyFile = Type.Object(
  {
    /** For editors; not read. */
    $schema: Type.Optional(Type.String()),
    version: Type.Literal(1),
    /** Profile to start from; the command's own when absent. */
    extends: Type.Optional(ProfileName),
    tools: Type.Optional(
      Type.Object(
        {
          /** As `--tools` and `--exclude-tools`. */
          select: Type.Optional(Type.String()),
          exclude: Type.Optional(Type.String()),
          rules: Type.Optional(Type.Array(ToolRule, { maxItems: 200 })),
        },
        strict,
      ),
    ),
    mcp: Type.Optional(
      Type.Object(
        {
          /** Programs inside whose tools the agent gets, by name. Their tools are added to those that this file selects. */
          servers: Type.Optional(McpServers),
        },
        strict,
      ),
    ),
    commands: Type.Optional(
      Type.Object(
        {
          /** For commands that no rule names. */
          default: Type.Optional(Verdict),
          /** For what the shell grammar cannot take apart, or whose program only the shell will know. */
          unclear: Type.Optional(Unclear),
          rules: Type.Optional(Type.Array(CommandRule, { maxItems: 200 })),
        },
        strict,
      ),
    ),
    paths: Type.Optional(
      Type.Object(
        {
          /** For paths inside the workspace, and for those outside of it, that no rule names. */
          inside: Type.Optional(PathDefaultFile),
          outside: Type.Optional(PathDefaultFile),
          rules: Type.Optional(Type.Array(PathRule, { maxItems: 200 })),
        },
        strict,
      ),
    ),
    /** Rules of earlier layers that do not count. The only way in which a layer loosens a rule. */
    off: Type.Optional(Type.Array(RuleId, { maxItems: 200 })),
    ask: Type.Optional(
      Type.Object(
        {
          /** Without an answer for this long, the call is denied. */
          timeout: Type.Optional(Duration),
        },
        strict,
      ),
    ),
    limits: Type.Optional(
      Type.Object(
        {
          timeout: Type.Optional(Duration),
          idleTimeout: Type.Optional(Duration),
          /** For bash calls that name none. */
          bashTimeout: Type.Optional(Duration),
          /** Calls that name a longer one get this one instead. */
          maxBashTimeout: Type.Optional(Duration),
          maxTurns: Type.Optional(Count),
          maxTokens: Type.Optional(Count),
          maxUsd: Type.Optional(Usd),
          memory: Type.Optional(Size),
          cpus: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
          pids: Type.Optional(Count),
          disk: Type.Optional(Size),
        },
        strict,
      ),
    ),
    models: Type.Optional(
      Type.Object(
        {
          /** Globs for `provider/id` and `scripted:FILE`, where `*` also stands for `/`. */
          allow: Type.Optional(Type.Array(Glob, { maxItems: 200 })),
        },
        strict,
      ),
    ),
    workspace: Type.Optional(
      Type.Object(
        {
          mode: Type.Optional(WorkspaceMode),
          include: Type.Optional(Type.Array(Glob, { maxItems: 200 })),
          exclude: Type.Optional(Type.Array(Glob, { maxItems: 200 })),
        },
        strict,
      ),
    ),
    redaction: Type.Optional(
      Type.Object(
        {
          /** Known forms of keys and tokens. */
          known: Type.Optional(Type.Boolean()),
          patterns: Type.Optional(Type.Array(RedactionPattern, { maxItems: 100 })),
          /** When a secret of the user is about to go to the model. */
          ownSecrets: Type.Optional(OwnSecrets),
        },
        strict,
      ),
    ),
    projectFiles: Type.Optional(
      Type.Object(
        {
          /** Whether AGENTS.md and its relatives reach the model. */
          contextFiles: Type.Optional(Type.Boolean()),
          /** Bytes of one such file, at most. */
          maxContextFileBytes: Type.Optional(Type.Integer({ minimum: 0, maximum: 1024 * 1024 })),
          /** Whether `.pi` and `.agents` enter and take effect, inside. */
          trust: Type.Optional(Type.Boolean()),
        },
        strict,
      ),
    ),
  },
  strict,
);
export type PolicyFile = Static<typeof PolicyFile>;

/** Where a value of the effective policy came from: `built in`, `profile edit`, `/path/of/file.yaml:12`, or an option. */
export type Origin = string;

export const PolicyLimits = Type.Object(
  {
    timeoutMs: Count,
    idleTimeoutMs: Count,
    bashTimeoutMs: Count,
    maxTurns: Count,
    maxTokens: Count,
    /** US dollars; absent when money is not limited. */
    maxUsd: Type.Optional(Usd),
    /** Bytes. */
    memory: Type.Optional(Count),
    cpus: Type.Optional(Type.Number({ exclusiveMinimum: 0 })),
    pids: Count,
    /** Bytes. */
    disk: Type.Optional(Count),
  },
  strict,
);
export type PolicyLimits = Static<typeof PolicyLimits>;

/** The effective policy of a run: all layers merged. Plain data, kept as `policy.json` in the run folder. */
export const Policy = Type.Object(
  {
    v: Type.Literal(1),
    profile: ProfileName,
    layers: PolicyLayers,
    tools: Type.Object(
      {
        /** Chosen from all that pi has, sorted as pi does. */
        names: Type.Array(Type.String()),
        rules: Type.Array(ToolRule),
      },
      strict,
    ),
    /** Servers of which a tool is chosen. */
    mcp: Type.Object({ servers: McpServers }, strict),
    commands: Type.Object(
      {
        default: Verdict,
        unclear: Unclear,
        rules: Type.Array(CommandRule),
      },
      strict,
    ),
    paths: Type.Object({ inside: PathDefault, outside: PathDefault, rules: Type.Array(PathRule) }, strict),
    ask: Type.Object({ timeoutMs: Count }, strict),
    /** What the plan takes as limits. Where a field is absent, the plan fits it to repository and engine. */
    limits: PolicyLimits,
    /** Seconds; absent when there is no cap. */
    maxBashTimeoutSeconds: Type.Optional(Count),
    models: Type.Object({ allow: Type.Array(Glob) }, strict),
    workspace: Type.Object(
      {
        /** Absent: a copy, or a mount where a profile that only reads meets a repository too large for one. */
        mode: Type.Optional(WorkspaceMode),
        include: Type.Array(Type.String()),
        exclude: Type.Array(Type.String()),
      },
      strict,
    ),
    redaction: Type.Object(
      {
        known: Type.Boolean(),
        patterns: Type.Array(RedactionPattern),
        ownSecrets: OwnSecrets,
      },
      strict,
    ),
    projectFiles: Type.Object(
      { contextFiles: Type.Boolean(), maxContextFileBytes: Type.Integer({ minimum: 0 }), trust: Type.Boolean() },
      strict,
    ),
    /**
     * Origin of each value by JSON pointer, of each rule by `rule:ID`, of rules that are off by `off:ID`. `tool:NAME` is
     * what last added a tool or took it away.
     */
    origins: Type.Record(Type.String(), Type.String()),
  },
  strict,
);
export type Policy = Static<typeof Policy>;
