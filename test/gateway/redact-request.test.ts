import type { AssistantMessage, Message } from '@earendil-works/pi-ai';
import { describe, expect, test } from 'vitest';
import { Redactor } from '../../src/policy/redact/redactor.ts';
import { fixedGateway } from './fixed-gateway.ts';
import { askAsPi, systemMessage, toolResult, userMessage } from './harness.ts';

const TOKEN = `ghp_${'aB3dE5gH7jK9mN2pQ4sT'.repeat(2).slice(0, 36)}`;
const OWN = 'my-own-secret-0815';
const PROMPT = `Use ${TOKEN}, please.`;
const CALL = { id: 'call-1', name: 'bash' };

const options = (ownSecrets: 'off' | 'report' | 'block', known = true) => ({
  redaction: {
    redactor: new Redactor({ known, patterns: [], own: [{ name: 'DEPLOY_TOKEN', value: OWN }] }),
    ownSecrets,
    isPrompt: (text: string) => text === PROMPT,
  },
});

const said = (content: AssistantMessage['content']): Message => ({
  role: 'assistant',
  content,
  ...{ provider: 'host', api: 'pi-messages', model: 'fixed', stopReason: 'toolUse', timestamp: 3 },
  usage: {
    ...{ input: 1, output: 1, cacheRead: 0, cacheWrite: 0, totalTokens: 2 },
    cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, total: 0 },
  },
});
const thinking = (text: string) => ({ type: 'thinking' as const, thinking: text, thinkingSignature: `of ${text}` });
const write = (text: string) => ({
  type: 'toolCall' as const,
  ...CALL,
  arguments: { path: 'a', content: text },
});

describe('what goes to the provider', () => {
  const gateway = fixedGateway();

  const ask = async (...messages: Message[]): Promise<readonly Message[]> => {
    await askAsPi(gateway.harness, 'fixed', [systemMessage(), ...messages]);
    return gateway.source.calls.at(-1)?.messages.slice(1) ?? [];
  };
  const texts = (messages: readonly Message[]): string => JSON.stringify(messages.map(({ content }) => content));

  test('has the results of tools and the words of others redacted, and those of the user as they are', async () => {
    await gateway.restart(options('report'));
    const sent = await ask(
      userMessage(PROMPT),
      said([{ type: 'text', text: 'Ok.' }, write('x')]),
      toolResult(CALL, `token ${TOKEN} end`),
      userMessage(`forged ${TOKEN}`),
    );
    expect(texts([sent[0] as Message])).toContain(TOKEN);
    expect(texts(sent.slice(1))).not.toContain(TOKEN);
    expect(sent[2]?.content).toEqual([{ type: 'text', text: 'token [redacted: github-token] end' }]);
    expect(gateway.harness.records).toContainEqual(
      expect.objectContaining({ type: 'gateway.request', redacted: { 'github-token': 2 } }),
    );
  });

  test('has what the model said as it is, with its signatures', async () => {
    await gateway.restart(options('report'));
    const answer = said([thinking(TOKEN), { type: 'text', text: TOKEN }, write(TOKEN)]);
    const sent = await ask(userMessage('go'), answer, toolResult(CALL, 'ok'));
    expect(sent[1]?.content).toEqual(answer.content);
  });

  test('has none of the secrets of the user anywhere, each reported once (report)', async () => {
    await gateway.restart(options('report'));
    const messages = [
      userMessage(`prompt ${OWN}`),
      said([thinking(`I know ${OWN}`), { type: 'text', text: OWN }, write(OWN)]),
      toolResult(CALL, Buffer.from(`--${OWN}`).toString('base64')),
    ];
    const sent = await ask(...messages);
    expect(texts(sent)).not.toContain(OWN);
    expect(texts(sent)).not.toContain('signature');
    expect(sent[2]?.content).toEqual([{ type: 'text', text: expect.stringContaining('[redacted: own DEPLOY_TOKEN]') }]);
    await ask(...messages);
    const { records } = gateway.harness;
    expect(records.filter(({ type }) => type === 'secret.seen')).toMatchObject([
      { secret: 'DEPLOY_TOKEN', where: 'message of the user', action: 'redacted', source: 'observed' },
    ]);
    expect(JSON.stringify(records)).not.toContain(OWN);
  });

  test('is the same for the same messages, so that caches stay good', async () => {
    await gateway.restart(options('report'));
    const messages = [userMessage('go'), said([write('x')]), toolResult(CALL, `${'x '.repeat(1_000)}${TOKEN} ${OWN}`)];
    expect(await ask(...messages)).toEqual(await ask(...messages));
  });

  test('is nothing where the policy forbids a request with such a secret (block)', async () => {
    await gateway.restart(options('block'));
    const before = gateway.source.calls.length;
    await ask(userMessage('go'), said([write('x')]), toolResult(CALL, `it is ${OWN}`)).catch(() => {});
    expect(gateway.source.calls).toHaveLength(before);
    expect(gateway.harness.failures).toEqual([
      {
        kind: 'secret',
        message:
          'DEPLOY_TOKEN, a secret of this machine, was about to go to the model (result of bash), and the policy forbids that (redaction.ownSecrets: block)',
      },
    ]);
    expect(gateway.harness.records).toContainEqual(expect.objectContaining({ type: 'secret.seen', action: 'blocked' }));
    expect(gateway.harness.ledger).toMatchObject([{ entry: 'refused', code: 'secret' }]);
  });

  test('is as it came where the policy looks for nothing (control)', async () => {
    await gateway.restart({
      redaction: {
        redactor: new Redactor({ known: false, patterns: [], own: [] }),
        ownSecrets: 'off',
        isPrompt: () => false,
      },
    });
    const messages = [userMessage('go'), said([write('x')]), toolResult(CALL, `${TOKEN} ${OWN}`)];
    expect(await ask(...messages)).toMatchObject(messages.map(({ role, content }) => ({ role, content })));
  });
});
