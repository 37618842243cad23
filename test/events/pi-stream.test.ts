import { Readable } from 'node:stream';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type PiItem, piEvents } from '../../src/events/pi-stream.ts';

const LIMITS = { lineBytes: 100_000, streamBytes: 10_000_000 };

async function read(bytes: string | Buffer, limits = LIMITS): Promise<PiItem[]> {
  const items: PiItem[] = [];
  for await (const item of piEvents(Readable.from([Buffer.from(bytes)], { objectMode: false }), limits))
    items.push(item);
  return items;
}

const end = (text: string, more = {}) => ({
  type: 'tool_execution_end',
  toolCallId: 'call_1',
  toolName: 'bash',
  result: { content: [{ type: 'text', text }] },
  isError: false,
  durationMs: 3,
  ...more,
});

describe('piEvents', () => {
  it('hands on known events with every field they had (D01)', async () => {
    const event = end('a\u2028b\u2029c', { extra: [1, { deep: true }] });
    expect(await read(`${JSON.stringify(event)}\n`)).toEqual([{ kind: 'event', event }]);
  });

  it.each([
    { type: 'response', command: 'get_state', success: true, data: { model: {} }, id: 'c1' },
    { type: 'agent_start' },
    { type: 'agent_end', messages: [], willRetry: false },
    { type: 'agent_settled', aborted: false },
    { type: 'turn_start' },
    { type: 'turn_end', message: { role: 'assistant', content: [] }, toolResults: [] },
    { type: 'message_start', message: { role: 'system', content: '', sections: {}, toolsAdded: [] } },
    { type: 'message_update', usage: {}, assistantMessageEvent: { type: 'text_delta', contentIndex: 0, delta: 'x' } },
    { type: 'message_end', message: { role: 'assistant', content: [], stopReason: 'error', errorMessage: '401' } },
    { type: 'tool_execution_start', toolCallId: 'a', toolName: 'bash', args: { command: 'ls' } },
    { type: 'tool_execution_update', toolCallId: 'a', toolName: 'bash', args: {}, partialResult: { content: [] } },
    { type: 'bash_execution_update', delta: 'x' },
    { type: 'queue_update', steering: ['x'], followUp: [] },
    { type: 'entry_appended', entry: { type: 'custom', customType: 'guard-audit', data: {} } },
    { type: 'session_info_changed', name: 'x' },
    { type: 'thinking_level_changed', level: 'high' },
    { type: 'compaction_start', reason: 'threshold' },
    { type: 'compaction_end', reason: 'threshold', aborted: false, willRetry: false },
    { type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 2000, errorMessage: '429' },
    { type: 'auto_retry_end', success: false, attempt: 3, finalError: '429' },
    { type: 'extension_error', extensionPath: '/g', event: 'session_start', error: 'x' },
    { type: 'extension_ui_request', id: '1', method: 'confirm', title: 'x', message: 'y' },
  ])('knows $type as pi 1.6.0 sends it', async (event) => {
    expect(await read(`${JSON.stringify(event)}\n`)).toEqual([{ kind: 'event', event }]);
  });

  it('keeps an event of an unknown type as data', async () => {
    const event = { type: 'summarization_retry_scheduled', delayMs: 1 };
    expect(await read(`${JSON.stringify(event)}\n`)).toEqual([{ kind: 'unknown', type: event.type, event }]);
  });

  it.each([
    ['schema', JSON.stringify(end('x', { isError: 'no' }))],
    [
      'schema',
      JSON.stringify({
        type: 'auto_retry_start',
        attempt: 9007199254740994,
        maxAttempts: 1,
        delayMs: 0,
        errorMessage: '',
      }),
    ],
    [
      'schema',
      '{"type":"tool_execution_end","toolCallId":"a","toolName":"b","result":{"content":[]},"isError":false,"durationMs":1e400}',
    ],
    ['schema', 'null'],
    ['schema', '[]'],
    ['schema', '{"seq":1}'],
    ['schema', JSON.stringify({ type: 'x'.repeat(65) })],
    ['json', '{"type":"agent_start"'],
    ['json', ''],
    ['json', '{"type":"agent_start"} trailing'],
    ['depth', `{"type":"x","a":${'['.repeat(64)}${']'.repeat(64)}}`],
    ['depth', '['.repeat(5_000)],
  ])('counts a line as damaged (%s): %s', async (reason, line) => {
    expect(await read(`${line}\n`)).toEqual([
      { kind: 'damaged', reason, bytes: Buffer.byteLength(line), preview: expect.any(String) },
    ]);
  });

  it('refuses bytes that are not UTF-8 instead of guessing (EV7)', async () => {
    const line = Buffer.concat([Buffer.from('{"type":"x","a":"'), Buffer.from('c0afff', 'hex'), Buffer.from('"}\n')]);
    expect(await read(line)).toMatchObject([{ kind: 'damaged', reason: 'utf8', bytes: 22 }]);
  });

  it('counts one item for each line feed, whatever stands between (EV7)', async () => {
    expect(await read('a\rb\u0085c\u2028d\0\n{"type":"agent_start"}\r\n')).toMatchObject([
      { kind: 'damaged', reason: 'json' },
      { kind: 'event', event: { type: 'agent_start' } },
    ]);
  });

  it('recovers an event with foreign text glued in front of it, and keeps that text (D08)', async () => {
    expect(await read('notice: hello{"type":"agent_settled","aborted":false}\n')).toEqual([
      { kind: 'damaged', reason: 'json', bytes: 13, preview: 'notice: hello' },
      { kind: 'event', event: { type: 'agent_settled', aborted: false } },
    ]);
  });

  it.each([
    ['a cut event', '{"type":"turn_sta'],
    ['brackets', '[[[['.repeat(40)],
    ['bytes that are not UTF-8', Buffer.from('c0af', 'hex')],
  ])('recovers an event behind %s (D08)', async (_, prefix) => {
    const line = Buffer.concat([
      Buffer.from(prefix),
      Buffer.from('{"id":"c1","type":"response","command":"prompt","success":true}\n'),
    ]);
    expect(await read(line)).toMatchObject([{ kind: 'damaged' }, { kind: 'event', event: { id: 'c1' } }]);
  });

  it('takes a byte order mark for foreign text (EV7)', async () => {
    expect(await read('\ufeff{"type":"agent_start"}\n')).toMatchObject([
      { kind: 'damaged', reason: 'json', bytes: 3 },
      { kind: 'event', event: { type: 'agent_start' } },
    ]);
  });

  it('gives up on a line with many false starts', async () => {
    const line = '{"type":'.repeat(10_000);
    expect(await read(`${line}\n`)).toMatchObject([{ kind: 'damaged', bytes: 80_000 }]);
  });

  it('reports over-long lines and a torn end with a short preview (D04, D05)', async () => {
    const items = await read(`${'x'.repeat(200)}\n{"type":"agent_st`, { ...LIMITS, lineBytes: 100 });
    expect(items).toEqual([
      { kind: 'damaged', reason: 'overlong', bytes: 200, preview: 'x'.repeat(200) },
      { kind: 'damaged', reason: 'torn', bytes: 17, preview: '{"type":"agent_st' },
    ]);
  });

  it('drops keys that reach prototypes (EV6)', async () => {
    const line =
      '{"type":"agent_start","__proto__":{"x":1},"a":[{"constructor":{"prototype":{"x":1}},"\\u005f_proto__":{"x":2}}]}';
    const [item] = await read(`${line}\n`);
    expect(item).toEqual({ kind: 'event', event: { type: 'agent_start', a: [{}] } });
    expect(Object.assign({}, item?.kind === 'event' ? item.event : {})).not.toHaveProperty('x');
    expect({}).not.toHaveProperty('x');
  });

  it('fails when the stream goes over its total size', async () => {
    await expect(read('{"type":"agent_start"}\n'.repeat(10), { ...LIMITS, streamBytes: 100 })).rejects.toMatchObject({
      name: 'StreamLimitError',
      limitBytes: 100,
    });
  });

  it('never throws, and accounts for every byte that is no event, whatever arrives', async () => {
    const token = fc.constantFrom(
      '{"type":"agent_start"}',
      '{"type":"',
      '\n',
      '{"id":1',
      '}',
      '[',
      '"',
      '\\',
      'é',
      '\u2028',
      'null',
    );
    const stream = fc.oneof(
      fc.uint8Array({ maxLength: 500 }).map((bytes) => Buffer.from(bytes)),
      fc.array(token, { maxLength: 60 }).map((parts) => Buffer.from(parts.join(''))),
    );
    await fc.assert(
      fc.asyncProperty(stream, async (bytes) => {
        const items = await read(bytes, { lineBytes: 120, streamBytes: 100_000 });
        const newlines = bytes.filter((byte) => byte === 0x0a).length;
        const expected = newlines + (bytes.length > 0 && bytes.at(-1) !== 0x0a ? 1 : 0);
        const recovered = items.filter(
          (item, at) => item.kind !== 'damaged' && items[at - 1]?.kind === 'damaged',
        ).length;
        expect(items.length).toBeGreaterThanOrEqual(expected);
        expect(items.length).toBeLessThanOrEqual(expected + recovered);
      }),
      { numRuns: 1_000 },
    );
  });
});
