import { isRetryableAssistantError } from '@earendil-works/pi-ai/utils/retry';
import { describe, expect, test } from 'vitest';
import { fixedGateway } from './fixed-gateway.ts';
import { post, rawExchange } from './harness.ts';

const fixed = fixedGateway();

describe('limits end the run by name, and pi does not retry', () => {
  test('requests', async () => {
    await fixed.restart({ limits: { requests: 1 } });
    expect((await fixed.ask()).stopReason).toBe('stop');
    const second = await fixed.ask();
    expect(second.errorMessage).toMatch(/^403 .*out of budget.*\(limit\)$/);
    expect(isRetryableAssistantError(second)).toBe(false);
    expect(fixed.harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.requests' }]);
    expect(fixed.harness.records.at(-2)).toMatchObject({ type: 'gateway.limit', limit: 'gateway.requests' });
    expect(fixed.source.calls).toHaveLength(1);
  });

  test('calls at the same time: fifty of them cannot pass together', async () => {
    await fixed.restart({ limits: { concurrentCalls: 2, requests: 50 } });
    let release = (): void => undefined;
    fixed.source.gate = new Promise((resolve) => {
      release = resolve;
    });
    const pending = Array.from({ length: 20 }, () => fixed.ask());
    await expect.poll(() => fixed.harness.gateway.state.refused).toBe(18);
    expect(fixed.source.calls).toHaveLength(2);
    release();
    const answers = await Promise.all(pending);
    expect(answers.filter(({ stopReason }) => stopReason === 'stop')).toHaveLength(2);
    expect(fixed.harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.concurrentCalls' }]);
    expect(fixed.harness.failures).toHaveLength(1);
  });

  test('a body that says it is too large is refused before it is sent', async () => {
    await fixed.restart({ limits: { requestBytes: 1_000 } });
    const answer = await rawExchange(fixed.harness, post('', { 'Content-Length': '1000000000' }));
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(fixed.harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.requestBytes' }]);
  });

  test('a body in chunks is counted while it comes', async () => {
    await fixed.restart({ limits: { requestBytes: 10_000 } });
    const head = post('', { 'Transfer-Encoding': 'chunked' }).replace('Content-Length: 0\r\n', '');
    const answer = await rawExchange(fixed.harness, `${head}${`1000\r\n${' '.repeat(0x1000)}\r\n`.repeat(20)}`);
    expect(answer).toMatch(/^HTTP\/1\.1 413 /);
    expect(answer).toContain('out of budget');
  });

  test('bytes of all requests', async () => {
    await fixed.restart({ limits: { totalRequestBytes: 600 } });
    expect((await fixed.ask()).stopReason).toBe('stop');
    expect((await fixed.ask()).errorMessage).toContain('out of budget');
    expect(fixed.harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.totalRequestBytes' }]);
  });

  test('output tokens: clamped for a call, reserved before it, settled after it', async () => {
    await fixed.restart({ limits: { outputTokensPerCall: 300, outputTokens: 500 } });
    fixed.source.outputTokens = 400;
    expect((await fixed.ask()).stopReason).toBe('stop');
    expect((await fixed.ask()).stopReason).toBe('stop');
    expect(fixed.source.calls.map(({ maxTokens }) => maxTokens)).toEqual([300, 100]);
    expect((await fixed.ask()).errorMessage).toContain('out of budget');
    expect(fixed.harness.failures).toMatchObject([{ kind: 'limit', limit: 'gateway.outputTokens' }]);
    expect(fixed.harness.gateway.state).toMatchObject({ costUsd: 1, usage: { output: 800 } });
  });

  test('after a limit nothing more is answered', async () => {
    await fixed.restart({ limits: { requests: 1 } });
    await fixed.ask();
    await fixed.ask();
    const third = await fixed.ask();
    expect(third.errorMessage).toContain('(failed)');
    expect(isRetryableAssistantError(third)).toBe(false);
    expect(fixed.harness.failures).toHaveLength(1);
  });
});
