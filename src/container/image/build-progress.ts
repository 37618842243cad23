import { type Static, Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { SandboxError } from '../../errors.ts';
import { sentence } from '../../lib/format.ts';

/** One object of an engine's build output; everything else in it is passed over. */
const BuildMessage = Type.Object({
  stream: Type.Optional(Type.String()),
  status: Type.Optional(Type.String()),
  error: Type.Optional(Type.String()),
  errorDetail: Type.Optional(Type.Object({ message: Type.Optional(Type.String()) })),
});
type BuildMessage = Static<typeof BuildMessage>;

/** Lines kept of a failing step. */
const MAX_LAST_LINES = 12;
const MAX_LINE_CHARS = 500;
/** What our build scripts put before a sentence that is meant for the user. */
const OWN_WORDS = 'pi-sandbox: ';
/** The engine's words when an image has no shell, or one whose loader is missing. */
const SHELL = /\/bin\/sh\W/;
const NOT_THERE = 'no such file or directory';
const BASE_HINT =
  'The base image is not in the engine and could not be pulled. Check its name, pull or load it there, or make one from Debian packages: images/base/build';

/** Follows the output of a build: gives its lines on, and turns a failure into an error that names the step. */
export class BuildProgress {
  readonly #onLine: (line: string) => void;
  #step = '(before the first step)';
  #last: string[] = [];

  constructor(onLine: (line: string) => void) {
    this.#onLine = onLine;
  }

  /** Takes one object of the engine. Throws when it says that the build failed. */
  take(message: unknown): void {
    if (!Check(BuildMessage, message)) return;
    const failure = message.errorDetail?.message ?? message.error;
    if (failure !== undefined) throw this.#failed(failure);
    for (const line of textOf(message).split('\n')) this.#line(line.trimEnd().slice(0, MAX_LINE_CHARS));
  }

  #line(line: string): void {
    if (line === '') return;
    if (/^Step \d+\/\d+ : /.test(line)) {
      this.#step = line.replace(/^Step \d+\/\d+ : /, '');
      this.#last = [];
    } else {
      this.#last = [...this.#last, line].slice(-MAX_LAST_LINES);
    }
    this.#onLine(line);
  }

  #failed(failure: string): SandboxError {
    const own = this.#last.findLast((line) => line.includes(OWN_WORDS));
    if (own !== undefined) {
      return new SandboxError(
        'image',
        `The image could not be built: ${own.slice(own.indexOf(OWN_WORDS) + OWN_WORDS.length)}`,
        {
          hint: `It happened in the build step: ${this.#step}`,
        },
      );
    }
    if (saysNoShell(failure))
      return new SandboxError(
        'image',
        'The image could not be built: the image to layer upon has no /bin/sh that runs.',
      );
    const lines = this.#last.length === 0 ? '' : ` Last lines: ${this.#last.join(' | ')}`;
    return new SandboxError(
      'image',
      `The image could not be built. The step "${this.#step}" failed: ${sentence(failure.trim())}${lines}`,
      this.#step.startsWith('FROM ') ? { hint: BASE_HINT } : {},
    );
  }
}

function saysNoShell(failure: string): boolean {
  const at = failure.search(SHELL);
  return at >= 0 && failure.includes(NOT_THERE, at);
}

function textOf(message: BuildMessage): string {
  return message.stream ?? message.status ?? '';
}
