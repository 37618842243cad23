import { type Static, Type } from '@sinclair/typebox';
import { type Policy, ToolAnnotations, type Verdict } from './policy.ts';

/*
 * The gate: before a tool call runs, the guard in pi's process asks the host, with `POST /gate` on the gateway's port, and
 * does what it is told. No answer, an answer that is none of these, a time-out or a broken connection blocks the call.
 */

const strict = { additionalProperties: false } as const;

/** A path argument of a call as the guard sees it inside. A claim. */
export const ResolvedPath = Type.Object(
  {
    /** Name of the argument. */
    argument: Type.String({ maxLength: 64 }),
    /** Absolute, as pi would open it, links not followed. */
    resolved: Type.String({ maxLength: 4096 }),
    /** Links followed; of what does not exist, the part that does. Absent when it cannot be told. */
    real: Type.Optional(Type.String({ maxLength: 4096 })),
  },
  strict,
);
export type ResolvedPath = Static<typeof ResolvedPath>;

/** Longest id of a call, characters: what the gateway lets through, and what pi appends for a nested one. */
const CallId = Type.String({ minLength: 1, maxLength: 1100 });

/** What the guard asks. */
export const GateRequest = Type.Object(
  {
    v: Type.Literal(1),
    /** pi's id of the call; of a nested one, `parent/n`. */
    call: CallId,
    /** The call that made this one. */
    parent: Type.Optional(CallId),
    tool: Type.String({ minLength: 1, maxLength: 256 }),
    arguments: Type.Record(Type.String(), Type.Unknown()),
    paths: Type.Array(ResolvedPath, { maxItems: 64 }),
    annotations: Type.Optional(ToolAnnotations),
    /** The guard itself refuses the call, whatever the host says: why. Told so that it is on record. */
    refused: Type.Optional(Type.String({ maxLength: 1024 })),
  },
  strict,
);
export type GateRequest = Static<typeof GateRequest>;

/** What the host answers. */
export const GateAnswer = Type.Union([
  Type.Object({ v: Type.Literal(1), verdict: Type.Literal('allow') }, strict),
  /** Runs with these arguments instead; pi does not validate them again. */
  Type.Object(
    { v: Type.Literal(1), verdict: Type.Literal('change'), arguments: Type.Record(Type.String(), Type.Unknown()) },
    strict,
  ),
  /** The reason becomes the result that the model reads. */
  Type.Object({ v: Type.Literal(1), verdict: Type.Literal('deny'), reason: Type.String() }, strict),
]);
export type GateAnswer = Static<typeof GateAnswer>;

/** A call as the decision sees it. */
export interface JudgedCall {
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  /** Absolute folder of the workspace inside. */
  readonly workspace: string;
  readonly paths: readonly ResolvedPath[];
  readonly annotations?: ToolAnnotations;
  /** Made by another tool: the gateway never saw it. */
  readonly nested: boolean;
  /** Home of the agent, that `~` in a path stands for; the image's when absent. */
  readonly home?: string;
  /**
   * Files of the start that a path rule protects, relative to the workspace: what a search of a folder above them would
   * show. Sorted.
   */
  readonly protectedFiles?: readonly string[];
}

/** A rule or default that a call met. */
export interface RuleMatch {
  /** Id of the rule, or the name of a default such as `commands.default`. */
  readonly rule: string;
  readonly verdict: Verdict;
  /** For the model and the person: one sentence. */
  readonly reason: string;
  /** What of the call it met: `git push`, `/workspace/.env`. */
  readonly subject: string;
  /** How it met it, for `policy explain`. */
  readonly detail: string;
}

/** A word of a command that may name a file: what the shell would pass as it stands, without quotes. */
export interface CommandWord {
  readonly text: string;
  /** Name of the program that gets it, without folder; absent of a redirection, and when only the shell will know. */
  readonly program?: string;
  /** Only of redirections: what is done with the file. */
  readonly redirection?: 'read' | 'write';
  /** Absolute folder that a relative path is from, after a `cd`; the workspace when absent. */
  readonly folder?: string;
  /** Which simple command of the call it belongs to, from 0. */
  readonly command: number;
}

/** What a command of bash comes to. */
export interface JudgedCommand {
  /** Every rule that one of its simple commands met, with `commands.default` for those that met none, and `commands.unclear`. */
  readonly matches: readonly RuleMatch[];
  /** Operands, values of options and targets of redirections, in their order. */
  readonly words: readonly CommandWord[];
}

/** Judges the text of a bash call. Pure; passed in, so that the shell grammar is loaded by runs that need it only. */
export type CommandJudge = (policy: Policy['commands'], command: string) => JudgedCommand;

/** What the policy says of a call. Pure data; the same call and policy give the same decision. */
export interface Decision {
  readonly verdict: 'allow' | 'ask' | 'deny' | 'change';
  /** The rule that decided: its id, or the name of a default such as `commands.default` or `paths.outside`. */
  readonly rule: string;
  /** For the model and the person who is asked: one sentence, no line break. */
  readonly reason: string;
  /** What "for this run" would cover, for a person: `git push`, `/workspace/.env`. Equal subjects of one rule are the same. */
  readonly subject: string;
  /** What it runs with instead: of `change`, and of `ask` when the answer is yes and there is something to change. */
  readonly arguments?: Readonly<Record<string, unknown>>;
  /** Every rule that matched, the deciding one first: what `policy explain` shows. */
  readonly matched: readonly { readonly rule: string; readonly verdict: string; readonly detail: string }[];
}

/** A question to the person or program that is responsible for the run. */
export interface GateQuestion {
  /** Counts the questions of a run from 1. */
  readonly ask: number;
  readonly call: string;
  readonly tool: string;
  readonly arguments: Readonly<Record<string, unknown>>;
  readonly rule: string;
  readonly reason: string;
  readonly subject: string;
  /** The gateway never saw this call: it is what pi's process says. */
  readonly claimed: boolean;
  readonly timeoutMs: number;
}

export type GateReply =
  | { readonly decision: 'once' | 'run' }
  | {
      readonly decision: 'deny';
      /** For the model. */
      readonly note?: string;
    };

/** Who answers questions. Rejects or never settles after `signal` is aborted; either is a denial. */
export type AskGate = (question: GateQuestion, signal: AbortSignal) => Promise<GateReply>;
