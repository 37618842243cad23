import { type Static, Type } from '@sinclair/typebox';

const strict = { additionalProperties: false } as const;

/** Name of a rule, unique over all layers. */
export const RuleId = Type.String({ pattern: '^[a-z0-9][a-z0-9-]{0,63}$' });

/** What a rule says of a call that it matches. Of several the strictest counts: deny, then ask, then allow. */
export const Verdict = Type.Union([Type.Literal('allow'), Type.Literal('ask'), Type.Literal('deny')]);
export type Verdict = Static<typeof Verdict>;

/** Why, in words for the model and for the person who is asked. One sentence. */
const Reason = Type.String({ minLength: 1, maxLength: 300 });
/** Glob: `*` any characters but `/`, `**` also those, `?` one, `[...]` one of these, `\` takes the next character as it is. */
export const Glob = Type.String({ minLength: 1, maxLength: 256 });
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
    /** First words that are no options, in order; alternatives are apart by `|`: `["remote", "add|set-url"]`. */
    subcommand: Type.Optional(Globs),
    /** All must be there; alternatives are apart by `|`: `-f|--force`. Short options in one word count each. */
    options: Type.Optional(Globs),
    /** None of these may be there; alternatives as above. */
    without: Type.Optional(Globs),
    /** One must match one of the words that are no options. */
    operands: Type.Optional(Globs),
    /**
     * One must match an operand, the value of an option or the target of a redirection, taken as a path: from the workspace
     * (`.git`; itself is `.`), else from `~`, else from `/`, with `.` and `..` resolved and a `cd` before it counted. A word
     * with wildcards also matches a name that it stands for; `\*` is a wildcard that stands for all.
     */
    paths: Type.Optional(Globs),
    /** One must match the target of a redirection that writes, taken as a path. */
    writesTo: Type.Optional(Globs),
    /** What does not count for the three before. */
    except: Type.Optional(Globs),
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
 * A rule for paths that file tools and words of commands name. Held against the path as written and against what it
 * really is, links followed; one of the two is enough. `names` and `folders` are apart: `my.env.bak` is not `.env`. Of
 * the two either is enough as well, and without both it holds for every path.
 */
export const PathRule = Type.Object(
  {
    ...rule,
    /** Globs for the last part of the path: the file itself. */
    names: Type.Optional(Globs),
    /** Globs for the path from the workspace, from `/` or from `~/`: it, and everything below it. */
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
