import { describe, expect, it } from 'vitest';
import type { HandBack } from '../../src/protocol/hand-back.ts';
import { done, RUN, render } from './render-support.ts';

const NOTHING: HandBack = {
  outcome: 'complete',
  reasons: [],
  changed: 0,
  folders: 0,
  counts: {},
  risky: 0,
  risks: {},
  refusedCount: 0,
  refused: [],
  ignoredCount: 0,
};

/** What stands after the line with the outcome. */
function lastLines(handBack: Partial<HandBack>, options: { quiet?: boolean; source?: 'observed' | 'claimed' } = {}) {
  const { out, record } = render(options);
  record({ source: options.source ?? 'observed', type: 'changes', ...NOTHING, ...handBack, ms: 5 });
  record({ source: 'observed', type: 'outcome', ...done });
  const lines = out.text.trimEnd().split('\n');
  return lines.slice(lines.findIndex((line) => line.startsWith('completed:')) + 1);
}

describe('what a run hands back', () => {
  it('is said last, with the commands that go on', () => {
    expect(lastLines({ changed: 4, risky: 1, counts: { modify: 4 } })).toEqual([
      `4 files changed, 1 needs your eye: pi-sandbox diff ${RUN}, pi-sandbox apply ${RUN}`,
    ]);
    expect(lastLines({ changed: 1 })).toEqual([`1 file changed: pi-sandbox diff ${RUN}, pi-sandbox apply ${RUN}`]);
    expect(lastLines({})).toEqual(['No files changed.']);
    expect(lastLines({ ignoredCount: 2 })).toEqual([
      '2 new entries are left out by ignore rules; --include brings such files back',
      'No files changed.',
    ]);
    expect(lastLines({ changed: 3, folders: 2 })[0]).toMatch(/^1 file and 2 folders changed: /);
    expect(lastLines({ changed: 2, folders: 2 })[0]).toMatch(/^2 folders changed: /);
  });

  it('names what was refused (EX11)', () => {
    const refused = ['a', 'b', 'c\u001b[31m', 'd'].map((path) => ({
      path,
      reason: 'fifo' as const,
      detail: 'It is a named pipe.',
    }));
    expect(lastLines({ refusedCount: 1, refused: refused.slice(0, 1) })).toEqual([
      '1 entry was refused: a (It is a named pipe)',
      'No files changed.',
    ]);
    const [line] = lastLines({ refusedCount: 9, refused });
    expect(line).toMatch(/^9 entries were refused: a \(It is a named pipe\), b \(.*, and 6 more$/);
    expect(line).not.toContain('\u001b');
  });

  it('is never taken for whole when it is partial, nor for nothing when it is not known', () => {
    const partial: Partial<HandBack> = { outcome: 'partial', reasons: ['The archive was cut.'] };
    expect(lastLines({ ...partial, changed: 2 })).toEqual([
      'partial: The archive was cut.',
      expect.stringContaining('2 files changed: '),
    ]);
    expect(lastLines(partial)).toEqual(['partial: The archive was cut.', 'No changed file was seen.']);
    const failed: Partial<HandBack> = { outcome: 'failed', reasons: ['The container went away.'] };
    expect(lastLines(failed)).toEqual(['no change set: The container went away.']);
    expect(lastLines(failed, { quiet: true })).toEqual(['no change set: The container went away.']);
  });

  it('is not what pi says it is', () => {
    expect(lastLines({ changed: 4 }, { source: 'claimed' })).toEqual([]);
  });
});
