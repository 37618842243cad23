import { describe, expect, test } from 'vitest';
import { makePlan } from '../../src/plan/make-plan.ts';
import { effectivePolicy } from '../../src/policy/effective.ts';
import type { McpServers } from '../../src/protocol/mcp-server.ts';
import type { PiPlan, RunPlan } from '../../src/protocol/plan.ts';
import type { RunRequest } from '../../src/request/run-request.ts';
import { layerOf } from '../policy/files.ts';
import { hostFacts, REQUEST } from './support.ts';

const CLOCK = { command: 'node', args: ['clock.mjs'], tools: ['now'] };

function planWith(servers: McpServers, request: Partial<RunRequest> = {}): RunPlan {
  const asked = { ...REQUEST, ...request };
  const policy = effectivePolicy(asked, [layerOf(JSON.stringify({ version: 1, mcp: { servers } }))]);
  return makePlan(asked, { ...hostFacts(), policy, policySha256: '1'.repeat(64), canAsk: false });
}

const loaded = ({ argv }: PiPlan): string[] => argv.filter((_, index) => argv[index - 1] === '-e');
const given = ({ env }: PiPlan): unknown => JSON.parse(env['PI_SANDBOX_MCP_SERVERS'] ?? 'null');

describe('what pi is started with for tools beside its usual ones (M13)', () => {
  test('nothing, where there are none: no extension but ours, and no MCP', () => {
    const { pi } = planWith({});
    expect(loaded(pi)).toEqual(['/opt/pi-sandbox/guest/guard.mjs']);
    expect(pi.argv).toEqual(expect.arrayContaining(['-ne', '--no-mcp']));
    expect(given(pi)).toBeNull();
    expect(pi).not.toHaveProperty('reachable');
  });

  test.each([
    ['codemode', 'builtin:codemode'],
    ['tool_search', 'builtin:tool-search'],
  ])('%s alone of the built-in extensions, before the guard', (tool, extension) => {
    const { pi } = planWith({}, { tools: `+${tool}` });
    expect(loaded(pi)).toEqual([extension, '/opt/pi-sandbox/guest/guard.mjs']);
    expect(pi.argv).toEqual(expect.arrayContaining(['-na', '-ne', '--no-mcp']));
    expect(pi.tools.at(-1)).toBe(tool);
  });

  test('servers, of which pi shows what the policy names and nothing else', () => {
    const { pi, notices } = planWith({ clock: CLOCK });
    expect(loaded(pi)).toEqual(['builtin:mcp', '/opt/pi-sandbox/guest/guard.mjs']);
    expect(pi.argv).not.toContain('--no-mcp');
    expect(pi.argv).toContain('-ne');
    expect(pi.argv[pi.argv.indexOf('--tools') + 1]).toMatch(/,mcp__clock__now$/);
    expect(given(pi)).toEqual({
      clock: { command: 'node', args: ['clock.mjs'], exposure: 'hidden', toolExposure: { now: 'direct' } },
    });
    expect(pi.tools.at(-1)).toBe('mcp__clock__now');
    expect(notices.join()).toMatch(
      /MCP servers start inside before the first prompt: clock.*the container is the boundary/,
    );
  });

  test('tools that are not declared at the start are planned as such', () => {
    const { pi } = planWith({ clock: { ...CLOCK, exposure: 'codemode' } }, { tools: '+codemode' });
    expect(pi.tools.at(-1)).toBe('codemode');
    expect(pi.reachable).toEqual(['mcp__clock__now']);
  });

  test('a trusted project, which may bring servers of the same names, does not go together with them', () => {
    expect(() => planWith({ clock: CLOCK }, { trustProject: true })).toThrow(/do not go together/);
    const asked = { trustProject: true, excludeTools: 'mcp__*' };
    expect(planWith({ clock: CLOCK }, asked).pi.argv).toContain('--no-mcp');
  });
});
