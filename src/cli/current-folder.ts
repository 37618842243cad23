import { SandboxError } from '../errors.ts';

/** Where the command was started. @throws SandboxError `usage` when that folder was removed meanwhile */
export function currentFolder(): string {
  try {
    return process.cwd();
  } catch (cause) {
    throw new SandboxError('usage', 'The current folder does not exist any more.', {
      cause,
      hint: 'Change to another one and try again.',
    });
  }
}
