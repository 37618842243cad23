import { once } from 'node:events';
import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { REPOSITORY_READY } from '../../src/container/bootstrap.ts';
import { BRIDGE_FAREWELLS } from '../../src/container/own-lines.ts';
import { StderrTail } from '../../src/container/stderr-tail.ts';
import type { NewRecord } from '../../src/protocol/record.ts';
import { recordErrors } from '../../src/run/report.ts';

async function recorded(pi: string, bridge: string): Promise<NewRecord[]> {
  const records: NewRecord[] = [];
  const tail = async (text: string): Promise<StderrTail> => {
    const stream = Readable.from(text === '' ? [] : [Buffer.from(text)]);
    const kept = new StderrTail(stream, 10_000);
    await once(stream, 'end');
    return kept;
  };
  const tails = { pi: await tail(pi), bridge: await tail(bridge) };
  recordErrors({ record: async (record) => void records.push(record) }, tails);
  return records;
}

test('our own words about an orderly start and end are not recorded as errors', async () => {
  expect(await recorded(`${REPOSITORY_READY}\n`, `${BRIDGE_FAREWELLS[0]}\n`)).toEqual([]);
  expect(await recorded('', `${BRIDGE_FAREWELLS[1]}\n`)).toEqual([]);
});

test('what pi or the bridge says besides is recorded whole, with its size', async () => {
  const records = await recorded(
    `warning ä\n${REPOSITORY_READY}\ntrace\n`,
    `bridge: fault: x\n${BRIDGE_FAREWELLS[0]}\n`,
  );
  expect(records).toEqual([
    { source: 'claimed', type: 'stderr', who: 'pi', bytes: 17, text: 'warning ä\ntrace\n' },
    { source: 'claimed', type: 'stderr', who: 'bridge', bytes: 17, text: 'bridge: fault: x\n' },
  ]);
});

test('a line that only begins like one of ours is foreign', async () => {
  const [record] = await recorded(`${REPOSITORY_READY} or not\n`, '');
  expect(record).toMatchObject({ text: `${REPOSITORY_READY} or not\n` });
});
