import { appendFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { followTranscript } from '../../src/transcript/follow-transcript.ts';
import { RunFolder } from '../../src/transcript/run-folder.ts';
import { Transcript } from '../../src/transcript/transcript.ts';
import { freshStateRoot, RUN } from './support.ts';

const note = (message: string) => ({ source: 'observed', type: 'notice', message }) as const;

function fresh() {
  const folder = RunFolder.create(freshStateRoot(), RUN);
  const transcript = Transcript.open(folder, RUN, { maxBytes: 1_000_000, now: () => new Date() });
  return { transcript, path: folder.path('events.jsonl') };
}

/** Reads to the end; `act` runs each time the follower has seen everything and asks whether the run is live. */
async function follow(path: string, act: (asked: number) => boolean, signal?: AbortSignal): Promise<unknown[]> {
  const seen: unknown[] = [];
  let asked = 0;
  const isLive = async () => act(++asked);
  for await (const record of followTranscript(path, { isLive, pollMs: 1, ...(signal && { signal }) })) {
    seen.push('torn' in record ? record : (record['message'] ?? record.type));
  }
  return seen;
}

describe('followTranscript', () => {
  it('shows what is there, then what is added, and ends after the outcome', async () => {
    const { transcript, path } = fresh();
    transcript.append(note('before'));
    const seen = await follow(path, (asked) => {
      if (asked === 1) transcript.append(note('added'));
      if (asked === 3)
        transcript.append({ source: 'observed', type: 'outcome', outcome: 'completed', exitCode: 0, reason: '' });
      return true;
    });
    expect(seen).toEqual(['before', 'added', 'outcome']);
  });

  it('waits for the rest of a record that is being written', async () => {
    const { transcript, path } = fresh();
    transcript.append(note('one'));
    const line = `${JSON.stringify({ v: 1, seq: 2, time: '', run: RUN, ...note('two') })}\n`;
    const seen = await follow(path, (asked) => {
      if (asked === 1) appendFileSync(path, line.slice(0, 20));
      if (asked === 2) appendFileSync(path, line.slice(20));
      return asked < 3;
    });
    expect(seen).toEqual(['one', 'two']);
  });

  it('ends when the run is no longer live, with what was written last', async () => {
    const { transcript, path } = fresh();
    const seen = await follow(path, () => {
      transcript.append(note('written at the last moment'));
      return false;
    });
    expect(seen).toEqual(['written at the last moment']);
  });

  it('reports the torn end of a killed run', async () => {
    const { path } = fresh();
    appendFileSync(path, '{"v":1');
    expect(await follow(path, () => false)).toEqual([{ torn: true, bytes: 6 }]);
  });

  it('ends on the signal', async () => {
    const { transcript, path } = fresh();
    transcript.append(note('one'));
    const controller = new AbortController();
    const seen = await follow(
      path,
      () => {
        controller.abort();
        return true;
      },
      controller.signal,
    );
    expect(seen).toEqual(['one']);
  });
});
