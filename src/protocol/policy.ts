import { type Static, Type } from '@sinclair/typebox';
import { ProfileName, WorkspaceMode } from './plan.ts';

const strict = { additionalProperties: false } as const;

/** Name of a rule, unique over all layers. */
export const RuleId = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$' });

/** What a rule says of a call that it matches. Of several the strictest counts: deny, then ask, then allow. */
export const Verdict = Type.Union([Type.Literal('allow'), Type.Literal('ask'), Type.Literal('deny')]);
export type Verdict = Static<typeof Verdict>;

/** Why, in words for the model and for the person who is asked. One sentence. */
const Reason = Type.String({ minLength: 1, maxLength: 300 });
/** Glob: `*` any characters but `/`, `**` also those, `?` one, `\` takes the character after it as it is. */
const Glob = Type.String({ minLength: 1, maxLength: 256 });
const Globs = Type.Array(Glob, { minItems: 1, maxItems: 64 });
/** A regular expression in the syntax of RE2 (no look-around, no back references), held against text in linear time. */
const Pattern = Type.String({ minLength: 1, maxLength: 512 });
const rule = { id: RuleId, verdict: Verdict, reason: Reason } as const;

/**
 * A rule for the commands of bash. It is held against each simple command that the shell grammar finds, those inside
 * substitutions, `sh -c` and wrappers such as `env` or `sudo` included. All given fields must match.
 */
export const CommandRule = Type.Object(
  {
    ...rule,
    /** Names of the program, without folder; one must match. */
    programs: Type.Optional(Globs),
    /** First words that are no options, in order: `["push"]`. */
    subcommand: Type.Optional(Globs),
    /** All must be there; alternatives are apart by `|`: `-f|--force`. Short options in one word count each. */
    options: Type.Optional(Globs),
    /** None of these may be there; alternatives as above. */
    without: Type.Optional(Globs),
    /** One must match one of the words that are no options. */
    operands: Type.Optional(Globs),
    /**
     * One must match an operand or the value of an option, taken as a path: as it is from the workspace (`.git`, `..` and
     * `../x` above it), else from `~` or `/`, `.` and `..` resolved, folders of `cd` before it included. A word with
     * wildcards also matches a name that it stands for; `\*` is a wildcard that stands for all.
     */
    paths: Type.Optional(Globs),
    /** One must match the target of a redirection that writes, taken as a path. */
    writesTo: Type.Optional(Globs),
    /** Whether it reads what another command writes: `curl ... | sh`. */
    afterPipe: Type.Optional(Type.Boolean()),
    /** Whether it is an interpreter that runs text that the call does not hold: `| sh`, `bash <(...)`, `eval "$(...)"`. */
    runsInput: Type.Optional(Type.Boolean()),
    /** Names of programs; one must write what it reads or runs. */
    fedBy: Type.Optional(Globs),
    /** Names of variables; one must be set, exported or put before the command. */
    sets: Type.Optional(Globs),
    /** In addition to the parsed form, never in its place: the text of the whole call. */
    text: Type.Optional(Pattern),
  },
  strict,
);
export type CommandRule = Static<typeof CommandRule>;

export const PathAccess = Type.Union([
  Type.Literal('read'),
  Type.Literal('write'),
  Type.Literal('list'),
  Type.Literal('search'),
]);
export type PathAccess = Static<typeof PathAccess>;

/**
 * A rule for paths that file tools name. Held against the path as written and against what it really is, links
 * followed; one of the two is enough. `names` and `folders` are apart: `my.env.bak` is not `.env`.
 */
export const PathRule = Type.Object(
  {
    ...rule,
    /** Globs for the last part of the path: the file itself. */
    names: Type.Optional(Globs),
    /** Globs for the path from the workspace, or from `/`: it, and everything below it. */
    folders: Type.Optional(Globs),
    /** Exceptions, for the last part of the path. */
    except: Type.Optional(Globs),
    /** All kinds when absent. */
    access: Type.Optional(Type.Array(PathAccess, { minItems: 1 })),
  },
  strict,
);
export type PathRule = Static<typeof PathRule>;

/** Hints that a tool gives about itself. Nobody has verified them. */
export const ToolAnnotations = Type.Object(
  {
    readOnlyHint: Type.Optional(Type.Boolean()),
    destructiveHint: Type.Optional(Type.Boolean()),
    idempotentHint: Type.Optional(Type.Boolean()),
    openWorldHint: Type.Optional(Type.Boolean()),
  },
  strict,
);
export type ToolAnnotations = Static<typeof ToolAnnotations>;

/** A rule for tools by name and by what they say of themselves. */
export const ToolRule = Type.Object(
  {
    ...rule,
    tools: Type.Optional(Globs),
    /** All given hints must be as given; a hint that the tool does not give matches nothing. */
    annotations: Type.Optional(ToolAnnotations),
    /** Only calls that another tool made, or only those of the model. */
    nested: Type.Optional(Type.Boolean()),
  },
  strict,
);
export type ToolRule = Static<typeof ToolRule>;

export const RedactionPattern = Type.Object({ id: RuleId, pattern: Pattern }, strict);
export type RedactionPattern = Static<typeof RedactionPattern>;

const Duration = Type.String({ minLength: 2, maxLength: 16 });
const Size = Type.String({ minLength: 1, maxLength: 16 });
const Count = Type.Integer({ minimum: 1 });

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
    commands: Type.Optional(
      Type.Object(
        {
          /** For commands that no rule names. */
          default: Type.Optional(Verdict),
          /** For what the shell grammar cannot take apart, or whose program only the shell will know. */
          unclear: Type.Optional(Type.Union([Type.Literal('ask'), Type.Literal('deny')])),
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
          ownSecrets: Type.Optional(Type.Union([Type.Literal('off'), Type.Literal('report'), Type.Literal('block')])),
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
  { ...strict, $id: 'policy' },
);
export type PolicyFile = Static<typeof PolicyFile>;

/** Where a value of the effective policy came from: `built in`, `profile edit`, the path of a file, or an option. */
export type Origin = string;

/** The effective policy of a run: all layers merged. Plain data, kept as `policy.json` in the run folder. */
export const Policy = Type.Object(
  {
    v: Type.Literal(1),
    profile: ProfileName,
    /** The layers, weakest first, with the digest of each file. */
    layers: Type.Array(Type.Object({ origin: Type.String(), sha256: Type.Optional(Type.String()) }, strict)),
    tools: Type.Object(
      {
        /** Chosen from all that pi has, sorted as pi does. */
        names: Type.Array(Type.String()),
        rules: Type.Array(ToolRule),
      },
      strict,
    ),
    commands: Type.Object(
      {
        default: Verdict,
        unclear: Type.Union([Type.Literal('ask'), Type.Literal('deny')]),
        rules: Type.Array(CommandRule),
      },
      strict,
    ),
    paths: Type.Object({ inside: PathDefault, outside: PathDefault, rules: Type.Array(PathRule) }, strict),
    ask: Type.Object({ timeoutMs: Count }, strict),
    /** Seconds; absent when there is no cap. */
    maxBashTimeoutSeconds: Type.Optional(Count),
    models: Type.Object({ allow: Type.Array(Glob) }, strict),
    redaction: Type.Object(
      {
        known: Type.Boolean(),
        patterns: Type.Array(RedactionPattern),
        ownSecrets: Type.Union([Type.Literal('off'), Type.Literal('report'), Type.Literal('block')]),
      },
      strict,
    ),
    projectFiles: Type.Object(
      { contextFiles: Type.Boolean(), maxContextFileBytes: Type.Integer({ minimum: 0 }), trust: Type.Boolean() },
      strict,
    ),
    /** Origin of each value by JSON pointer, and of each rule by `rule:ID`; of rules that are off, `off:ID`. */
    origins: Type.Record(Type.String(), Type.String()),
  },
  strict,
);
export type Policy = Static<typeof Policy>;
