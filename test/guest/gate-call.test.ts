import { describe, expect, test } from 'vitest';
import { carryOut, questionAbout } from '../../images/guest/gate-call.ts';

const event = () => ({
  toolCallId: 'c',
  toolName: 'bash',
  input: { command: 'ls', timeout: 5 } as Record<string, unknown>,
});
const about = (more: object = {}, tools: readonly { name: string; annotations?: object }[] = [], refused?: string) =>
  questionAbout({ ...event(), ...more }, { paths: [], tools: () => tools, refused });

describe('the question about a call', () => {
  test('has what the call is', () => {
    expect(about()).toEqual({ v: 1, call: 'c', tool: 'bash', arguments: { command: 'ls', timeout: 5 }, paths: [] });
  });

  test('names the maker of a nested call', () => {
    expect(about({ parentToolCallId: 'p' })).toMatchObject({ parent: 'p' });
  });

  test('has the hints of its tool, and nothing else that the tool says of itself', () => {
    const annotations = { readOnlyHint: true, openWorldHint: 'yes', title: 'x' };
    const tools = [
      { name: 'other', annotations: { destructiveHint: true } },
      { name: 'bash', annotations },
    ];
    expect(about({}, tools)).toMatchObject({ annotations: { readOnlyHint: true } });
    expect(about({}, [{ name: 'bash', annotations: { title: 'x' } }])).not.toHaveProperty('annotations');
  });

  test('says why the guard refuses, cut to what the host takes', () => {
    expect(about({}, [], 'x'.repeat(5_000)).refused).toHaveLength(1024);
  });
});

describe('what comes of an answer', () => {
  test('allow: the call runs as it is', () => {
    const call = event();
    expect(carryOut({ v: 1, verdict: 'allow' }, call)).toBeUndefined();
    expect(call).toEqual(event());
  });

  test('deny: the call is blocked, with the reason', () => {
    expect(carryOut({ v: 1, verdict: 'deny', reason: 'No.' }, event())).toEqual({
      block: true,
      reason: 'pi-sandbox: No.',
    });
  });

  test('change: the very object that pi runs the call with is other arguments, and only those', () => {
    const call = event();
    const { input } = call;
    expect(carryOut({ v: 1, verdict: 'change', arguments: { command: 'true' } }, call)).toBeUndefined();
    expect(call.input).toBe(input);
    expect(input).toEqual({ command: 'true' });
  });
});
