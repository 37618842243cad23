import { Type } from '@sinclair/typebox';
import { Check } from '@sinclair/typebox/value';
import { plural } from '../lib/format.ts';
import { HandBack } from '../protocol/hand-back.ts';
import type { SandboxRecord } from '../protocol/record.ts';
import { type Span, span } from './render-style.ts';

/** Refused entries that are named. */
const MAX_NAMED = 3;
/** A record holds more than the figures: its stamp, the time that it took. */
const Recorded = Type.Object({ ...HandBack.properties });

/** The figures of a `changes` record; undefined for any other. */
export function handBackOf(record: SandboxRecord): HandBack | undefined {
  return record.type === 'changes' && record.source === 'observed' && Check(Recorded, record) ? record : undefined;
}

/** The last lines about a run: what it hands back and how to get at it. `ref` names the run in commands. */
export function changesLines(handBack: HandBack, ref: string): Span[][] {
  const { outcome, reasons, changed, risky } = handBack;
  if (outcome === 'failed') return [[span('no change set: ', 'red'), span(reasons.join(' '))]];
  const partial = outcome === 'partial' ? [[span('partial: ', 'red'), span(reasons.join(' '))]] : [];
  const commands = `pi-sandbox diff ${ref}, pi-sandbox apply ${ref}`;
  const eye = risky === 0 ? '' : `, ${risky} ${risky === 1 ? 'needs' : 'need'} your eye`;
  const head =
    changed === 0
      ? [span(outcome === 'partial' ? 'No changed file was seen.' : 'No files changed.')]
      : [span(`${changedText(handBack)} changed${eye}: `, 'bold'), span(commands)];
  return [...partial, ...refusedLines(handBack), ...ignoredLines(handBack), head];
}

function ignoredLines({ ignoredCount }: HandBack): Span[][] {
  if (ignoredCount === 0) return [];
  const what = ignoredCount === 1 ? '1 new entry is' : `${ignoredCount} new entries are`;
  return [[span(`${what} left out by ignore rules; --include brings such files back`, 'dim')]];
}

function refusedLines({ refusedCount, refused }: HandBack): Span[][] {
  if (refusedCount === 0) return [];
  const named = refused.slice(0, MAX_NAMED).map(({ path, detail }) => `${path} (${detail.replace(/\.$/, '')})`);
  const more = refusedCount - named.length;
  const words = refusedCount === 1 ? '1 entry was refused' : `${refusedCount} entries were refused`;
  return [[span(`${words}: `, 'yellow'), span(`${named.join(', ')}${more > 0 ? `, and ${more} more` : ''}`)]];
}

/** `3 files`, `1 folder`, `3 files and 1 folder`. */
function changedText({ changed, folders }: HandBack): string {
  const files = changed - folders;
  const parts = files === 0 && folders > 0 ? [] : [plural(files, 'file')];
  return [...parts, ...(folders === 0 ? [] : [plural(folders, 'folder')])].join(' and ');
}

/** The figures in a few words, for lists. */
export function changesText(handBack: HandBack): string {
  const { outcome, refusedCount } = handBack;
  if (outcome === 'failed') return 'not known';
  const refused = refusedCount === 0 ? '' : `, ${refusedCount} refused`;
  return `${outcome === 'partial' ? 'partial, ' : ''}${changedText(handBack)}${refused}`;
}
