import { sep } from 'node:path';
import { SandboxError } from '../errors.ts';
import { showPath } from '../lib/path-bytes.ts';
import type { Selection } from './selection.ts';

/** What a read-only mount of the repository would bring along. */
export interface MountCheck {
  /** Other file systems mounted inside the repository, all read-only. Escaped for display. */
  readonly readOnlySubMounts: readonly string[];
}

/** Sub-mounts that one message names. */
const MAX_NAMED = 5;

/**
 * Whether the repository can be mounted read-only. Engines make only the mount itself read-only, not what is mounted
 * below it, so a writable sub-mount would stay writable: SandboxError('repository') that names each.
 * `mountinfo` is the text of /proc/self/mountinfo in latin1; `root` the real path.
 */
export async function checkMount(root: string, mountinfo: string): Promise<MountCheck> {
  const prefix = Buffer.from(root === sep ? sep : root + sep).toString('latin1');
  const below = mountinfo
    .split('\n')
    .map(parseLine)
    .filter((mount) => mount?.point.startsWith(prefix) === true)
    .map((mount) => ({
      path: showPath(Buffer.from(mount?.point ?? '', 'latin1')),
      readOnly: mount?.readOnly === true,
    }));
  const writable = [...new Set(below.filter(({ readOnly }) => !readOnly).map(({ path }) => path))];
  if (writable.length > 0) {
    const more = writable.length - MAX_NAMED;
    throw new SandboxError(
      'repository',
      `The repository ${showPath(Buffer.from(root))} cannot be mounted read-only: other file systems are mounted writable ` +
        `inside it (${writable.slice(0, MAX_NAMED).join(', ')}${more > 0 ? `, and ${more} more` : ''}), and they would stay writable.`,
      { hint: 'Unmount them, or use --workspace copy.' },
    );
  }
  return { readOnlySubMounts: [...new Set(below.map(({ path }) => path))] };
}

/** What the agent sees in a mount although git ignores it, or although a copy would not hold it. */
export interface VisibleIgnored {
  /** Exact; a folder counts as one. */
  readonly count: number;
  /** The first ones, likely secrets before others, escaped for display. */
  readonly paths: readonly string[];
}

/** For the start summary of a mounted run: what a copy of the same repository would have left out by rule. */
export function visibleIgnored(selection: Selection): VisibleIgnored {
  const { counts, list } = selection.leftOut;
  const reasons = ['ignored', 'git-metadata', 'excluded'] as const;
  return {
    count: reasons.reduce((sum, reason) => sum + (counts[reason] ?? 0), 0),
    paths: reasons.flatMap((reason) => list.filter((item) => item.reason === reason).map(({ path }) => path)),
  };
}

interface Mount {
  readonly point: string;
  readonly readOnly: boolean;
}

/** Fields of proc(5): id, parent, device, root, mount point, mount options, optional fields, `-`, type, source, super options. */
function parseLine(line: string): Mount | undefined {
  const fields = line.split(' ');
  const point = fields[4];
  const options = fields[5];
  if (point === undefined || options === undefined) return undefined;
  const superOptions = fields[fields.indexOf('-', 6) + 3] ?? '';
  return {
    point: point.replace(/\\([0-7]{3})/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 8))),
    readOnly: options.split(',').includes('ro') || superOptions.split(',').includes('ro'),
  };
}
