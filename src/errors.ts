import type { ExitCode } from './protocol/outcome.ts';

/** Closed set of reasons for which pi-sandbox itself stops. */
export type ErrorCode =
  | 'usage' // the command line or request is wrong; nothing was started
  | 'policy' // a policy file is wrong, or the policy does not allow such a run; nothing was started
  | 'scenario' // a scenario file is malformed
  | 'repository' // the repository cannot be used
  | 'model' // unknown model or no credentials
  | 'engine' // no engine, no permission, or the engine failed
  | 'image' // the image is missing, foreign or unfit
  | 'posture' // the container is not what the plan asked for
  | 'refused' // a change set does not fit, or was not allowed; nothing was written
  | 'wire' // the stream to the bridge or to pi broke its protocol
  | 'state' // our own files on the host cannot be used
  | 'internal'; // a fault of ours

const EXIT_CODES: Record<ErrorCode, ExitCode> = {
  usage: 2,
  policy: 2,
  scenario: 2,
  repository: 2,
  model: 2,
  engine: 5,
  image: 5,
  posture: 5,
  refused: 6,
  wire: 5,
  state: 5,
  internal: 5,
};

/**
 * An error that a user can act on. `message` says what happened, to what and why, in one paragraph;
 * `hint` says what to do. Both are printed; neither holds a secret or a stack trace.
 */
export class SandboxError extends Error {
  override readonly name = 'SandboxError';
  readonly code: ErrorCode;
  readonly hint: string | undefined;
  readonly exitCode: ExitCode;

  constructor(code: ErrorCode, message: string, options: { hint?: string; cause?: unknown; exitCode?: ExitCode } = {}) {
    super(message, options.cause === undefined ? undefined : { cause: options.cause });
    this.code = code;
    this.hint = options.hint;
    this.exitCode = options.exitCode ?? EXIT_CODES[code];
  }
}

/** The text of anything thrown, without a stack. */
export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
