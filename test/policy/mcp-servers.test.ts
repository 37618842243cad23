import { describe, expect, test } from 'vitest';
import { effectivePolicy } from '../../src/policy/effective.ts';
import type { Policy } from '../../src/protocol/policy.ts';
import type { RunRequest } from '../../src/request/run-request.ts';
import { layerOf, problemsOf } from './files.ts';

/** A policy file with these servers, and more of it. */
function file(servers: unknown, more: Readonly<Record<string, unknown>> = {}): string {
  return JSON.stringify({ version: 1, mcp: { servers }, ...more });
}

const CLOCK = { command: 'node', args: ['clock.mjs'], tools: ['now', 'set-zone'] };

function policyOf(text: string, request: Partial<RunRequest> = {}): Policy {
  return effectivePolicy(request, [layerOf(text)]);
}
const mcpTools = ({ tools }: Policy): string[] => tools.names.filter((name) => name.startsWith('mcp__'));

describe('MCP servers of a policy (M13)', () => {
  test('there are none without one', () => {
    expect(effectivePolicy({}, []).mcp.servers).toEqual({});
  });

  test("bring the tools that are named, under pi's names, and no others", () => {
    const policy = policyOf(file({ 'my-clock': CLOCK }));
    expect(mcpTools(policy)).toEqual(['mcp__my_clock__now', 'mcp__my_clock__set_zone']);
    expect(policy.mcp.servers).toEqual({ 'my-clock': CLOCK });
    expect(policy.origins['tool:mcp__my_clock__now']).toBe('/etc/team.yaml:1');
    expect(policy.origins['/mcp/servers/my-clock/command']).toBe('/etc/team.yaml:1');
  });

  test('are added to the tools that their file selects', () => {
    const policy = policyOf(file({ clock: CLOCK }, { tools: { select: 'read', exclude: 'mcp__*set*' } }));
    expect(policy.tools.names).toEqual(['read', 'mcp__clock__now']);
    expect(policy.mcp.servers['clock']?.tools).toEqual(['now']);
  });

  test('whose tools a stronger layer takes away are not started', () => {
    expect(policyOf(file({ clock: CLOCK }), { tools: 'read' }).mcp.servers).toEqual({});
    expect(policyOf(file({ clock: CLOCK }), { excludeTools: 'mcp__*' }).mcp.servers).toEqual({});
    expect(mcpTools(policyOf(file({ clock: CLOCK }), { tools: 'read,mcp__clock__*' }))).toHaveLength(2);
    expect(mcpTools(policyOf(file({ clock: CLOCK }), { tools: '*' }))).toEqual([]);
    expect(mcpTools(policyOf(file({ clock: CLOCK }), { tools: '-mcp__clock__now' }))).toEqual(['mcp__clock__set_zone']);
  });

  test('whose tools are excluded everywhere need not be there', () => {
    expect(policyOf('version: 1\ntools: {exclude: "mcp__*"}').tools.names).toHaveLength(7);
  });

  test('a tool that no server has is refused, with the nearest', () => {
    const asked = (tools: string) => () => policyOf(file({ clock: CLOCK }), { tools });
    expect(asked('+mcp__clock__noww')).toThrow('--tools: no server under mcp.servers has the tool "mcp__clock__noww".');
    expect(asked('read,mcp__cl0ck__now')).toThrow(expect.objectContaining({ hint: 'Did you mean "mcp__clock__now"?' }));
  });

  test('a name stands for one server, over all layers', () => {
    const layers = [layerOf(file({ clock: CLOCK }), '/a.yaml'), layerOf(file({ clock: CLOCK }), '/b.yaml')];
    expect(() => effectivePolicy({}, layers)).toThrow('there is a server "clock" already, in /a.yaml:1.');
  });

  test('whose tools are not declared need a tool that reaches them', () => {
    const hidden = file({ clock: { ...CLOCK, exposure: 'codemode' } });
    expect(() => policyOf(hidden)).toThrow('nothing reaches its tools');
    expect(mcpTools(policyOf(hidden, { tools: '+codemode' }))).toHaveLength(2);
    expect(mcpTools(policyOf(hidden, { tools: '+tool_search' }))).toHaveLength(2);
    expect(policyOf(hidden, { excludeTools: 'mcp__*' }).mcp.servers).toEqual({});
  });
});

describe('what is wrong with servers is told by line and column', () => {
  const server = (text: string): string => `version: 1\nmcp:\n  servers:\n    ${text}\n`;
  test.each([
    ['Clock: {command: a, tools: [b]}', '"Clock" is no name of a server'],
    ['clock: {command: a, url: "https://x", tools: [b]}', 'unknown key "url"'],
    ['clock: {command: a, tools: []}', 'mcp.servers.clock.tools'],
    ['clock: {command: a, tools: ["*"]}', 'mcp.servers.clock.tools[0]: "*" is no tool of a server'],
    ['clock: {tools: [a]}', 'command'],
    ['clock: {command: a, tools: [a.b, a-b]}', 'two of its tools have the name mcp__clock__a_b'],
    [`clock: {command: a, tools: [${'x'.repeat(60)}]}`, 'has more than 64 characters'],
    ['clock: {command: a, tools: [b], exposure: hidden}', 'mcp.servers.clock.exposure'],
  ])('%s', (text, words) => {
    const [first] = problemsOf(server(text));
    expect(first).toMatch(/^[45]:\d+: /);
    expect(first).toContain(words);
  });
});
