import path from 'node:path';
import { SandboxError } from '../../errors.ts';
import { say } from '../print.ts';
import { printBytes } from '../print-bytes.ts';
import { notInPatchText } from './change-words.ts';
import { gitTopAbove } from './git-top.ts';
import { MAX_LISTED } from './limits.ts';
import { type Shown, sayWhatIsMissing } from './shown.ts';

/** Prints bytes for `git apply`. What would make them less than was asked for is an error, not a shorter patch. */
export async function printPatch({ set, changes, named, patchOf }: Shown): Promise<void> {
  if (set.outcome === 'partial' && named.length === 0) {
    throw new SandboxError(
      'state',
      `The change set of run ${set.run} is partial, so its patch would not be whole. ${set.reasons.join(' ')}`,
      { hint: `Name the paths that you want, ${set.root} for all that there is.` },
    );
  }
  const patch = await patchOf(changes);
  const missing = patch.left.filter(({ why }) => why !== 'empty-folder').map(notInPatchText);
  if (missing.length > 0) {
    const more = missing.length > MAX_LISTED ? `; and ${missing.length - MAX_LISTED} more` : '';
    throw new SandboxError(
      'state',
      `The patch would not be whole: ${missing.slice(0, MAX_LISTED).join('; ')}${more}.`,
      {
        hint: `Name the paths that you want; "pi-sandbox diff ${set.run} --stat" lists all.`,
      },
    );
  }
  sayWhatIsMissing({ set });
  for (const left of patch.left.slice(0, MAX_LISTED)) say(`Not in the patch: ${notInPatchText(left)}.`);
  if (patch.left.length > MAX_LISTED) say(`and ${patch.left.length - MAX_LISTED} more empty folders.`);
  const top = gitTopAbove(set.root);
  // Elsewhere "git apply" passes over every file and calls it a success.
  if (top !== undefined) {
    say(`Paths are relative to ${set.root}. In ${top} use: git apply --directory=${path.relative(top, set.root)}`);
  }
  if (process.stdout.isTTY) say('On a terminal, control characters are shown and not sent; redirect it for the bytes.');
  await printBytes(patch.bytes());
}
