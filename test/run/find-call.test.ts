import { expect, test } from 'vitest';
import { findCall } from '../../src/run/find-call.ts';
import { tempFolder } from '../support/cli.ts';
import { stamped, toolCall, writeRun } from '../support/runs.ts';

const RUN = '20261130T021610-3f9a2c';

function folder(...calls: Readonly<Record<string, unknown>>[][]): string {
  return writeRun(tempFolder(), RUN, { 'events.jsonl': stamped(RUN, calls.flat()) });
}

test('a call is found by its id, a unique prefix, and the number on the screen', async () => {
  const run = folder(toolCall('call_a1', 'one'), toolCall('call_b1', 'two'));
  for (const ref of ['call_b1', 'call_b', '2', '[2]']) {
    const found = await findCall(run, ref);
    expect(found).toMatchObject({ number: 2, id: 'call_b1', tool: 'bash' });
    expect(found.end?.result.content).toEqual([{ type: 'text', text: 'two' }]);
  }
});

test('a whole id wins over a number and over a longer id that begins with it', async () => {
  const run = folder(toolCall('2', 'one'), toolCall('20', 'two'), toolCall('x', 'three'));
  expect(await findCall(run, '2')).toMatchObject({ id: '2', number: 1 });
});

test('a prefix of several calls is refused and they are named', async () => {
  const run = folder(toolCall('call_a', ''), toolCall('call_b', ''));
  await expect(findCall(run, 'call_')).rejects.toThrow('[1] call_a (bash), [2] call_b (bash)');
});

test('an unknown call is refused with the last ones named', async () => {
  const refused = findCall(folder(toolCall('call_a', '')), '9');
  await expect(refused).rejects.toMatchObject({ code: 'usage', hint: 'The last ones are [1] call_a (bash).' });
});

test('a run without calls says so', async () => {
  await expect(findCall(folder(), '1')).rejects.toMatchObject({ hint: 'The run has made no tool call.' });
});

test('a call that has not ended has no result', async () => {
  const [start] = toolCall('call_a', '');
  expect((await findCall(folder([start!]), '1')).end).toBeUndefined();
});
