import { isRetryableAssistantError } from '@earendil-works/pi-ai/utils/retry';
import { describe, expect, test } from 'vitest';
import { fixedGateway } from './fixed-gateway.ts';
import { askAsPi, post, rawExchange, requestBody, systemMessage, userMessage } from './harness.ts';

const fixed = fixedGateway();

describe('the conversation that goes on is a copy of known fields', () => {
  test('unknown fields, provider tools and __proto__ are left behind', async () => {
    const messages = [
      {
        ...systemMessage(),
        cache_control: 1,
        toolsAdded: [
          {
            name: 'bash',
            description: 'x',
            parameters: JSON.parse('{"__proto__":{"polluted":1},"type":"object"}'),
            type: 'web_search',
          },
          { name: 'read', description: 'x', parameters: {} },
        ],
      },
      { ...userMessage('hi'), mcp_servers: ['http://evil.test'] },
    ];
    const body = JSON.stringify({
      model: 'fixed',
      context: { messages, tools: [{ type: 'web_fetch' }] },
      options: { headers: { a: 'b' }, apiKey: 'x' },
      metadata: {},
    });
    expect(await rawExchange(fixed.harness, post(body))).toContain('"type":"done"');
    const sent = JSON.stringify(fixed.source.calls[0]);
    expect(sent).not.toMatch(/web_|mcp_|cache_control|polluted|apiKey|headers/);
    expect(sent).toContain('"parameters":{"type":"object"}');
    expect(({} as { polluted?: number }).polluted).toBeUndefined();
  });

  test('a duplicate key reaches nobody: the body is written anew', async () => {
    const body = requestBody('fixed').replace('"model":"fixed"', '"model":"other","model":"fixed"');
    expect(await rawExchange(fixed.harness, post(body))).toContain('"type":"done"');
    expect(JSON.stringify(fixed.source.calls)).not.toContain('other');
  });
});

describe('declared tools', () => {
  test('other tools than planned end the run as "tools", and pi does not retry', async () => {
    const answer = await askAsPi(fixed.harness, 'fixed', [systemMessage(['bash', 'timeout']), userMessage('hi')]);
    expect(answer.errorMessage).toContain('(tools)');
    expect(isRetryableAssistantError(answer)).toBe(false);
    expect(fixed.source.calls).toEqual([]);
    expect(fixed.harness.failures).toMatchObject([
      {
        kind: 'tools',
        message: 'pi declared other tools than planned: not planned: "timeout"; planned but missing: "read"',
      },
    ]);
  });

  test('no tools at all are only allowed after the planned ones were seen, as pi does for a compaction', async () => {
    expect((await fixed.ask()).stopReason).toBe('stop');
    expect((await askAsPi(fixed.harness, 'fixed', [systemMessage([]), userMessage('summarise')])).stopReason).toBe(
      'stop',
    );
    await fixed.restart({});
    expect((await askAsPi(fixed.harness, 'fixed', [systemMessage([]), userMessage('hi')])).stopReason).toBe('error');
    expect(fixed.harness.failures).toMatchObject([{ kind: 'tools' }]);
  });
});
