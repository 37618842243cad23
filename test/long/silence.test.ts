import { expect, test } from 'vitest';
import { resolveModel } from '../../src/gateway/model-source.ts';
import { askAsPi, startGateway, systemMessage, userMessage } from '../gateway/harness.ts';
import { fakeUpstream, late, sse, sseText, type UpstreamAnswer } from '../support/fake-upstream.ts';
import { STYLES, type UpstreamStyle } from '../support/fake-upstream-styles.ts';

/** Longer than Node's own clients, and many proxies, wait for a byte. */
const SILENCE_MS = 330_000;
const IDLE_MS = 600_000;

/** Silence behind the first words of an answer. */
function pause(style: UpstreamStyle): UpstreamAnswer {
  return async (res) => {
    res.writeHead(200, { 'content-type': 'text/event-stream' });
    const [first, ...rest] = style.say({ text: 'At last.' });
    res.write(sseText(first!));
    await new Promise((resolve) => setTimeout(resolve, SILENCE_MS));
    for (const record of rest) res.write(sseText(record));
    res.end();
  };
}

test('a model that says nothing for 330 s, before its first byte or behind it, is waited for by gateway and pi (D26)', {
  timeout: SILENCE_MS + 60_000,
}, async () => {
  const calls = STYLES.flatMap((style) =>
    [late(SILENCE_MS, sse(...style.say({ text: 'At last.' }))), pause(style)].map(async (answer) => {
      await using upstream = await fakeUpstream(answer);
      const source = await resolveModel(style.spec, {
        env: () => 'key-0123456789',
        cwd: '/',
        baseUrl: upstream.origin + style.base,
      });
      const harness = await startGateway(source, { limits: { idleMs: IDLE_MS } });
      const message = await askAsPi(harness, style.id, [systemMessage(), userMessage('hi')]);
      await harness.close();
      return message;
    }),
  );
  for (const message of await Promise.all(calls)) {
    expect(message.errorMessage).toBeUndefined();
    expect(message).toMatchObject({ stopReason: 'stop', content: [{ type: 'text', text: 'At last.' }] });
  }
});
