import { accessSync, constants } from 'node:fs';
import { join } from 'node:path';

/** Where images keep commands, in the order in which pi's environment looks. */
export const COMMAND_FOLDERS = ['/usr/local/sbin', '/usr/local/bin', '/usr/sbin', '/usr/bin', '/sbin', '/bin'];

/** The first of these commands that is there, as an absolute path. */
export function findCommand(
  names: readonly string[],
  folders: readonly string[] = COMMAND_FOLDERS,
): string | undefined {
  for (const name of names) {
    for (const folder of folders) {
      const path = join(folder, name);
      try {
        accessSync(path, constants.X_OK);
        return path;
      } catch {
        // Not here.
      }
    }
  }
  return undefined;
}
