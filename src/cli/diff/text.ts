import { withoutImpliedFolders } from '../../changes/bare-folders.ts';
import type { Patch } from '../../changes/patch.ts';
import { SandboxError } from '../../errors.ts';
import { type Display, shownLine } from '../shown-line.ts';
import { bodyLines, headings } from './body.ts';
import type { Shown } from './shown.ts';
import { leftOutLines, summaryLines } from './summary.ts';

/**
 * Changes for a person: what needs an eye comes first. Where no patch can be made, what changed is shown all the same and
 * then the error is thrown.
 */
export async function* diffText({ set, changes, patchOf }: Shown, display: Display): AsyncGenerator<string, void> {
  // Folders are judged before the changes are split: what fills one may be in the other chapter.
  const told = withoutImpliedFolders(changes);
  const risky = told.filter((change) => change.risks.length > 0);
  const plain = told.filter((change) => change.risks.length === 0);
  for (const line of summaryLines(set, changes)) yield shownLine(line, display);
  const chapters: { readonly changes: typeof changes; readonly patch: Patch }[] = [];
  try {
    for (const part of [risky, plain]) {
      if (part.length > 0) chapters.push({ changes: part, patch: await patchOf(part) });
    }
  } catch (error) {
    if (!(error instanceof SandboxError)) throw error;
    for (const line of headings([...risky, ...plain])) yield shownLine(line, display);
    throw error;
  }
  for await (const line of bodyLines(chapters, set.run)) yield shownLine(line, display);
  for (const line of leftOutLines(chapters.flatMap(({ patch }) => patch.left))) yield shownLine(line, display);
}
