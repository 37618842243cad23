import { SandboxError } from '../../errors.ts';

/** Who is asked where the policy says so. */
export type AskMode = 'terminal' | 'stdin' | 'never';

const MODES: readonly string[] = ['terminal', 'stdin', 'never'] satisfies AskMode[];

/**
 * What `--ask` comes to; without one, a person where there is one to be seen and to type.
 *
 * @throws SandboxError `usage` for a way that cannot work here
 */
export function askMode(
  { ask, json }: { readonly ask?: string; readonly json?: boolean },
  streams: { readonly stdin: { isTTY?: boolean }; readonly stderr: { isTTY?: boolean } },
): AskMode {
  const person = streams.stdin.isTTY === true && streams.stderr.isTTY === true;
  if (ask === undefined) return person && json !== true ? 'terminal' : 'never';
  if (!isMode(ask)) {
    throw new SandboxError('usage', `--ask ${ask}: not one of ${MODES.join(', ')}.`);
  }
  if (ask === 'terminal' && !person) {
    throw new SandboxError('usage', '--ask terminal: there is no terminal at standard input and standard error.', {
      hint: 'A program can answer with --json --ask stdin. With --ask never, what would be asked is denied.',
    });
  }
  if (ask === 'stdin' && json !== true) {
    throw new SandboxError('usage', '--ask stdin: the questions are records, and without --json they are not seen.', {
      hint: 'Add --json.',
    });
  }
  return ask;
}

function isMode(text: string): text is AskMode {
  return MODES.includes(text);
}
