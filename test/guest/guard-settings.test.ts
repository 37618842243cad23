import { describe, expect, test } from 'vitest';
import { commandEnv } from '../../images/guest/command-env.ts';
import { guardSettings } from '../../images/guest/guard-settings.ts';
import type { ToolResultEvent } from '../../images/guest/pi-api.ts';
import { noteDefaultTimeout } from '../../images/guest/timeout-note.ts';

describe('the environment of commands', () => {
  test('holds nothing that is meant for pi', () => {
    const pis = {
      PATH: '/bin',
      HOME: '/home/agent',
      TMPDIR: '/spill',
      PI_OFFLINE: '1',
      PI_CODING_AGENT_DIR: '/a',
      NODE_COMPILE_CACHE: '/c',
      JITI_FS_CACHE: 'false',
      NODE_OPTIONS: '--x',
      PI_SANDBOX_MODEL: '{}',
      PI_SANDBOX_LIMITS: '{}',
      PI_SANDBOX_ANYTHING: '1',
    };
    expect(commandEnv(pis, {})).toEqual({ PATH: '/bin', HOME: '/home/agent', TMPDIR: '/tmp', PI_OFFLINE: '1' });
  });

  test('has what is meant for commands alone, in place of what the image says', () => {
    expect(commandEnv({ PATH: '/bin', NO_PROXY: 'image' }, { NO_PROXY: 'run', HTTP_PROXY: 'p' })).toEqual({
      ...{ PATH: '/bin', NO_PROXY: 'run', HTTP_PROXY: 'p', TMPDIR: '/tmp' },
    });
  });
});

describe('settings from the controller', () => {
  const limits = {
    bashTimeoutSeconds: 1,
    spillBytesPerCall: 2,
    spillBytesPerRun: 3,
    spillReserveBytes: 4,
    gateTimeoutMs: 5,
  };
  const good = { PI_SANDBOX_MODEL: '{"id":"m","cost":{"input":0}}', PI_SANDBOX_LIMITS: JSON.stringify(limits) };

  test('are taken as they are', () => {
    const usual = { model: { id: 'm', cost: { input: 0 } }, limits };
    expect(guardSettings(good)).toEqual({ ...usual, mcpServers: {}, ownEnv: {} });
    const mcpServers = { clock: { command: 'node' } };
    const env = { ...good, PI_SANDBOX_MCP_SERVERS: JSON.stringify(mcpServers) };
    expect(guardSettings(env)).toEqual({ ...usual, mcpServers, ownEnv: {} });
    const ownEnv = { HTTP_PROXY: 'http://127.0.0.1:1' };
    expect(guardSettings({ ...good, PI_SANDBOX_COMMAND_ENV: JSON.stringify(ownEnv) })).toMatchObject({ ownEnv });
  });

  test.each([
    ['no model', { PI_SANDBOX_LIMITS: good.PI_SANDBOX_LIMITS }],
    ['a model without an id', { ...good, PI_SANDBOX_MODEL: '{}' }],
    ['text that is not JSON', { ...good, PI_SANDBOX_MODEL: '{' }],
    ['no limits', { PI_SANDBOX_MODEL: good.PI_SANDBOX_MODEL }],
    ['a missing limit', { ...good, PI_SANDBOX_LIMITS: JSON.stringify({ ...limits, spillBytesPerRun: undefined }) }],
    ['a limit that is text', { ...good, PI_SANDBOX_LIMITS: JSON.stringify({ ...limits, bashTimeoutSeconds: '1' }) }],
    ['servers that are a list', { ...good, PI_SANDBOX_MCP_SERVERS: '[]' }],
    ['a variable that is no text', { ...good, PI_SANDBOX_COMMAND_ENV: '{"A":1}' }],
    ['a negative limit', { ...good, PI_SANDBOX_LIMITS: JSON.stringify({ ...limits, spillBytesPerCall: -1 }) }],
  ])('%s keeps pi from starting', (_what, env) => {
    expect(() => guardSettings(env)).toThrow();
  });
});

describe('a call that ended by the default timeout', () => {
  const result = (text: string, changes: Partial<ToolResultEvent> = {}): ToolResultEvent => ({
    toolName: 'bash',
    toolCallId: 'c',
    input: { command: 'sleep 99' },
    isError: true,
    content: [{ type: 'text', text }],
    ...changes,
  });

  test('says that it was the default and how to ask for more', () => {
    const content = noteDefaultTimeout(result('out\n\nCommand timed out after 5 seconds'), 5);
    expect(content).toEqual([
      {
        type: 'text',
        text: 'out\n\nCommand timed out after 5 seconds. 5 seconds is the default of this sandbox; a call that needs longer passes its own timeout, in seconds.',
      },
    ]);
    expect(
      noteDefaultTimeout(result('Command timed out after 5 seconds. The shell exited with code 0.'), 5),
    ).toBeDefined();
  });

  test.each([
    ['a timeout of its own', result('Command timed out after 5 seconds', { input: { command: 'x', timeout: 5 } })],
    ['success', result('Command timed out after 5 seconds', { isError: false })],
    ['another tool', result('Command timed out after 5 seconds', { toolName: 'read' })],
    [
      'another failure after output that says so',
      result('Command timed out after 5 seconds\n\nCommand exited with code 1'),
    ],
    ['another length', result('Command timed out after 50 seconds')],
  ])('is told apart from %s', (_what, event) => {
    expect(noteDefaultTimeout(event, 5)).toBeUndefined();
  });
});
