import { type Dirent, lstatSync, readdirSync } from 'node:fs';
import { join } from 'node:path';

/** Everything below a folder on the same file system, the folder itself left out; links are not followed. */
export function* walk(folder: string, device = lstatSync(folder).dev): Iterable<{ path: string; entry: Dirent }> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) {
      // Build containers mount /proc, /sys and single files such as /etc/hosts.
      if (lstatSync(path).dev !== device) continue;
      yield { path, entry };
      yield* walk(path, device);
    } else {
      yield { path, entry };
    }
  }
}
