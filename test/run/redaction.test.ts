import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { pipeline } from 'node:stream/promises';
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { SandboxError } from '../../src/errors.ts';
import type { GatewayDelta } from '../../src/gateway/gateway.ts';
import { Redactor } from '../../src/policy/redact/redactor.ts';
import type { NewRecord } from '../../src/protocol/record.ts';
import { RedactedDeltas } from '../../src/run/redacted-deltas.ts';
import { redactedError } from '../../src/run/redacted-error.ts';
import { RunRedaction } from '../../src/run/redaction.ts';

const TOKEN = `ghp_${'aB3dE5gH7jK9mN2pQ4sT'.repeat(2).slice(0, 36)}`;
const KEY = 'the-model-key-0123456789';
const OWN = 'grün-und-geheim-42';

const redaction = (parts: { patterns?: { id: string; pattern: string }[]; ownSecrets?: 'off' | 'report' } = {}) =>
  RunRedaction.create({
    policy: { known: true, patterns: parts.patterns ?? [], ownSecrets: parts.ownSecrets ?? 'report' },
    credentials: [KEY],
    environment: { MODEL_API_KEY: KEY, MY_SECRET: OWN },
    noSecrets: [],
  });

describe('what a run knows', () => {
  test('are the key of the model by the name of its variable, and the secrets of the environment', async () => {
    const on = await redaction();
    expect(on.json(`${KEY} ${OWN} ${TOKEN}`)).toBe(
      '[redacted: own MODEL_API_KEY] [redacted: own MY_SECRET] [redacted: github-token]',
    );
  });

  test('is the key of the model alone where the policy says off', async () => {
    const off = await redaction({ ownSecrets: 'off' });
    expect(off.json(`${KEY} ${OWN}`)).toBe(`[redacted: own MODEL_API_KEY] ${OWN}`);
  });

  test('are patterns of the policy', async () => {
    const mine = await redaction({ patterns: [{ id: 'customer', pattern: 'CUST-\\d+' }] });
    expect(mine.json({ a: 'of CUST-4711' })).toEqual({ a: 'of [redacted: customer]' });
  });
});

test('an error that quotes a secret of the environment is told without it', async () => {
  const host = { environment: () => ({ MY_SECRET: OWN }), stateRoot: '/s', homeDir: '/h', cwd: '/c' };
  const error = new SandboxError('model', `The provider said: ${OWN}.`, { hint: `Not ${TOKEN}.`, exitCode: 2 });
  expect(await redactedError(error, host)).toMatchObject({
    ...{ code: 'model', exitCode: 2, hint: 'Not [redacted: github-token].' },
    message: 'The provider said: [redacted: own MY_SECRET].',
  });
  const harmless = new SandboxError('model', 'No.');
  expect(await redactedError(harmless, host)).toBe(harmless);
});

describe('live text', () => {
  const shown = (deltas: GatewayDelta[]): GatewayDelta[] => {
    const out: GatewayDelta[] = [];
    const through = new RedactedDeltas(new Redactor({ known: true, patterns: [], own: [] }), (delta) =>
      out.push(delta),
    );
    for (const delta of deltas) through.take(delta);
    return out;
  };
  const pieces = (text: string, type: 'text' | 'thinking' = 'text'): GatewayDelta[] =>
    [...text].map((delta) => ({ call: 1, type, delta }));

  test('shows no secret that comes character by character, and what is no secret at once', () => {
    const out = shown([
      { call: 1, type: 'start' },
      ...pieces(`1: ${TOKEN}!`),
      { call: 1, type: 'end', stopReason: 'stop' },
    ]);
    const text = out.map((delta) => ('delta' in delta ? delta.delta : '')).join('');
    expect(text).toBe('1: [redacted: github-token]!');
    expect(out[1]).toEqual({ call: 1, type: 'text', delta: '1' });
    expect(out.at(-1)).toEqual({ call: 1, type: 'end', stopReason: 'stop' });
  });

  test('shows what was held back before anything else comes', () => {
    const out = shown([
      ...pieces('ghp_'),
      ...pieces('b', 'thinking'),
      { call: 1, type: 'toolcall', id: '1', name: 'bash' },
    ]);
    expect(out.map((delta) => [delta.type, 'delta' in delta ? delta.delta : ''])).toEqual([
      ['text', 'ghp_'],
      ['thinking', 'b'],
      ['toolcall', ''],
    ]);
  });
});

describe('records', () => {
  const update = (assistantMessageEvent: object): NewRecord => ({
    source: 'claimed',
    type: 'pi',
    event: { type: 'message_update', usage: { note: TOKEN }, assistantMessageEvent },
  });
  const eventOf = (record: NewRecord): unknown =>
    (record['event'] as { assistantMessageEvent: unknown }).assistantMessageEvent;

  test("of pi's live text hold back what could become a secret, and bring it before the end", async () => {
    const on = await redaction();
    const deltas = [`a ${TOKEN.slice(0, 9)}`, `${TOKEN.slice(9)} !`, ' ghp_'].map((delta) =>
      update({ type: 'text_delta', contentIndex: 0, delta }),
    );
    const out = [...deltas, update({ type: 'text_end', contentIndex: 0, content: `a ${TOKEN} ! ghp_` })].flatMap(
      (entry) => on.records(entry),
    );
    expect(out.map(eventOf)).toEqual([
      { type: 'text_delta', contentIndex: 0, delta: 'a ' },
      { type: 'text_delta', contentIndex: 0, delta: '[redacted: github-token] !' },
      { type: 'text_delta', contentIndex: 0, delta: ' ' },
      { type: 'text_delta', contentIndex: 0, delta: 'ghp_' },
      { type: 'text_end', contentIndex: 0, content: 'a [redacted: github-token] ! ghp_' },
    ]);
    expect(JSON.stringify(out)).not.toContain(TOKEN);
  });

  test('of output under way end before the beginning of a secret', async () => {
    const on = await redaction();
    const event = (type: string) => ({
      type,
      toolCallId: '1',
      partialResult: { content: [{ type: 'text', text: `x ${TOKEN.slice(0, 30)}` }] },
    });
    const of = (type: string) => JSON.stringify(on.records({ source: 'claimed', type: 'pi', event: event(type) }));
    expect(of('tool_execution_update')).toContain('"x [redacted: github-token]"');
    expect(of('tool_execution_end')).toContain(TOKEN.slice(0, 30));
  });

  test('without a secret are the same values', async () => {
    const on = await redaction();
    const entry: NewRecord = { source: 'observed', type: 'ready', container: 'c1' };
    expect(on.records(entry)).toEqual([entry]);
    expect(on.records(entry)[0]).toBe(entry);
  });
});

describe('bytes', () => {
  const through = async (chunks: readonly Buffer[]): Promise<{ out: Buffer; bytes: number; redacted: number }> => {
    const stream = (await redaction()).bytes();
    const [out] = await Promise.all([buffer(stream), pipeline(Readable.from(chunks, { objectMode: false }), stream)]);
    return { out, bytes: stream.bytes, redacted: stream.redacted };
  };

  test('that are no text come out as they came in, in any cut', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(fc.uint8Array({ minLength: 1, maxLength: 40 }), { maxLength: 8 }), async (parts) => {
        const chunks = parts.map((part) => Buffer.from(part));
        const { out, bytes } = await through(chunks);
        expect(out.equals(Buffer.concat(chunks))).toBe(true);
        expect(bytes).toBe(out.length);
      }),
      { numRuns: 300 },
    );
  });

  test.each([1, 2, 3, 7, 1_000])(
    'lose their secrets, beside text and beside other bytes, in pieces of %i',
    async (size) => {
      const whole = Buffer.concat([
        Buffer.from(`é ${OWN} ☕ ${TOKEN} `),
        Buffer.from([0xff, 0x00, 0xc3]),
        Buffer.from(` ${TOKEN} ${KEY} ü`),
      ]);
      const chunks = Array.from({ length: Math.ceil(whole.length / size) }, (_, i) =>
        whole.subarray(i * size, (i + 1) * size),
      );
      const { out, redacted } = await through(chunks);
      expect(out.toString('latin1')).toBe(
        Buffer.concat([
          Buffer.from('é [redacted: own MY_SECRET] ☕ [redacted: github-token] '),
          Buffer.from([0xff, 0x00, 0xc3]),
          Buffer.from(' [redacted: github-token] [redacted: own MODEL_API_KEY] ü'),
        ]).toString('latin1'),
      );
      expect(redacted).toBe(4);
    },
  );
});

test('a login that is renewed in the middle of a run is known from then on, also in text that has begun', async () => {
  const run = await redaction();
  const renewed = 'sk-ant-oat-renewed-0123456789';
  const bytes = run.bytes();
  bytes.write('It is sk-ant-oat-re');
  run.learn([renewed, 'short']);
  bytes.end('newed-0123456789, short.');
  expect((await buffer(bytes)).toString()).toBe('It is [redacted: own the key of the model], short.');
  expect(run.json(renewed)).toBe('[redacted: own the key of the model]');
  expect(run.json(`base64 ${Buffer.from(renewed).toString('base64')}`)).not.toContain(
    Buffer.from(renewed).toString('base64').slice(4, -4),
  );
  expect(run.json(KEY)).toBe('[redacted: own MODEL_API_KEY]');
});
