import { describe, expect, test } from 'vitest';
import { fixedGateway } from './fixed-gateway.ts';
import { post, rawExchange, requestBody } from './harness.ts';

const fixed = fixedGateway();

describe('the ledger', () => {
  test('a ledger that cannot be written ends the run before anything goes to the provider', async () => {
    await fixed.restart({
      ledger: () => {
        throw new Error('disk full');
      },
    });
    const answer = await fixed.ask();
    expect(answer.stopReason).toBe('error');
    expect(answer.content).toEqual([]);
    expect(fixed.source.calls).toEqual([]);
    expect(fixed.harness.failures).toMatchObject([{ kind: 'internal', message: expect.stringContaining('disk full') }]);
    expect(fixed.harness.gateway.state.inFlight).toBe(0);
  });

  test('the end of an answer is not sent when its ledger line cannot be written', async () => {
    await fixed.restart({
      ledger: ({ entry }) => {
        if (entry === 'close') throw new Error('disk full');
      },
    });
    const answer = await rawExchange(fixed.harness, post(requestBody('fixed')));
    expect(answer).toContain('200 OK');
    expect(answer).not.toContain('"type":"done"');
    expect(fixed.harness.failures).toMatchObject([{ kind: 'internal' }]);
  });

  test('a loop of refused requests cannot fill it', async () => {
    const many = Array.from({ length: 1_050 }, () => 'GET /x HTTP/1.1\r\nHost: x\r\n\r\n');
    for (let at = 0; at < many.length; at += 25) {
      await Promise.all(many.slice(at, at + 25).map((bytes) => rawExchange(fixed.harness, bytes)));
    }
    expect(fixed.harness.ledger).toHaveLength(1_000);
    expect(await rawExchange(fixed.harness, many[0]!)).toBe('');
  });
});
