import { describe, expect, test } from 'vitest';
import { containerSpec } from '../../src/plan/container-spec.ts';
import { hostFacts, makePlan, REQUEST } from './support.ts';

const planOf = (more: object) => makePlan({ ...REQUEST, ...more }, hostFacts());
const commandEnv = (more: object) =>
  JSON.parse(planOf(more).pi.env['PI_SANDBOX_COMMAND_ENV'] ?? 'null') as Record<string, string>;

describe('without a word about the network', () => {
  test('there is none: the bridge is not told to listen, and commands know of no proxy (M17)', () => {
    const plan = planOf({});
    expect(plan.network).toMatchObject({ mode: 'none', allow: [] });
    expect(containerSpec(plan.container)).toMatchObject({ Cmd: [], HostConfig: { NetworkMode: 'none' } });
    expect(JSON.stringify(plan.pi.env)).not.toMatch(/proxy/i);
  });
});

describe('what is allowed', () => {
  test('is listed host by host and port by port, once', () => {
    const { network } = planOf({ allow: ['Registry.Example', 'registry.example:443', 'pypi.example:8443'] });
    expect(network).toMatchObject({
      mode: 'allow',
      allow: ['registry.example:443', 'registry.example:80', 'pypi.example:8443'],
    });
  });

  test('opens a port inside and nothing of the container: it still has no network', () => {
    const plan = planOf({ allow: ['registry.example'] });
    expect(containerSpec(plan.container)).toMatchObject({
      Cmd: ['egress'],
      NetworkDisabled: true,
      HostConfig: { NetworkMode: 'none', PortBindings: {}, ExtraHosts: [], Dns: ['127.0.0.1'] },
    });
  });

  test('is told to commands, not to pi, whose model calls would go there too', () => {
    const { env } = planOf({ allow: ['registry.example'] }).pi;
    expect(Object.keys(env).filter((name) => /proxy/i.test(name))).toEqual([]);
    expect(commandEnv({ allow: ['registry.example'] })).toMatchObject({
      ...{ HTTPS_PROXY: 'http://127.0.0.1:18081', https_proxy: 'http://127.0.0.1:18081', NODE_USE_ENV_PROXY: '1' },
      ...{ NO_PROXY: 'localhost,127.0.0.1,::1', no_proxy: 'localhost,127.0.0.1,::1' },
    });
  });

  test('on this machine is asked for through the proxy, so it is no exception to it, and is said', () => {
    const allow = ['127.0.0.1:4873', '[::1]:4873'];
    expect(commandEnv({ allow })).toMatchObject({ NO_PROXY: 'localhost' });
    expect(commandEnv({ allow: ['localhost:4873'] })).toMatchObject({ NO_PROXY: '127.0.0.1,::1' });
    expect(planOf({ allow }).notices.join()).toContain('127.0.0.1:4873, [::1]:4873: inside, this means the host');
  });
});

test('an open network is said before the start', () => {
  const { network, notices } = planOf({ network: 'open' });
  expect(network.mode).toBe('open');
  expect(notices.join()).toContain('can be sent anywhere');
});

test('learning lets through what is allowed and nothing else', () => {
  expect(planOf({ network: 'learn' }).network).toMatchObject({ mode: 'learn', allow: [] });
  expect(planOf({ network: 'learn', allow: ['a.example:1'] }).network).toMatchObject({
    mode: 'learn',
    allow: ['a.example:1'],
  });
});
