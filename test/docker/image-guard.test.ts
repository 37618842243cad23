import { join } from 'node:path';
import { build as bundle } from 'esbuild';
import { beforeAll, describe, expect, test } from 'vitest';
import { GUEST } from '../../src/protocol/guest.ts';
import { testEngine, testImage } from '../support/engine.ts';
import { runInImage } from '../support/image-probe.ts';
import { IMAGE_MS, imageReady } from '../support/image-ready.ts';

describe('pi with its guard in the image', () => {
  interface End {
    toolName: string;
    isError: boolean;
    result: { content: { text: string }[] };
  }
  let ends: End[];
  let entries: { kind: string; reason?: string; limit?: string }[];
  let output: string;

  beforeAll(async () => {
    await imageReady();
    const bundled = await bundle({
      entryPoints: [join(import.meta.dirname, '../support/guard-probe.mts')],
      bundle: true,
      write: false,
      platform: 'node',
      format: 'esm',
    });
    const probe = bundled.outputFiles[0]!.text;
    const result = await runInImage(await testEngine(), await testImage(), `${GUEST.node} /probe/probe.mjs`, {
      'probe.mjs': probe,
    });
    output = result.output;
    expect(result.ok, output).toBe(true);
    const events = output
      .split('\n')
      .filter((line) => line.startsWith('EVENT '))
      .map((line) => JSON.parse(line.slice(6)));
    ends = events.filter((event) => event.type === 'tool_execution_end');
    entries = events.filter((event) => event.entry?.customType === 'pi-sandbox-guard').map((event) => event.entry.data);
  }, IMAGE_MS);

  const text = (end: End): string => end.result.content.map((part) => part.text).join('');

  test('refuses whatever would hang pi, in every form of path, and pi lives on', () => {
    const refused = ends.filter((end) => text(end).startsWith('pi-sandbox: '));
    expect(refused.map((end) => end.toolName).sort()).toEqual([
      'edit',
      'grep',
      'read',
      'read',
      'read',
      'read',
      'read',
      'write',
    ]);
    expect(refused.every((end) => end.isError)).toBe(true);
    expect(entries.filter((entry) => entry.kind === 'refused')).toHaveLength(8);
    expect(ends.some((end) => end.toolName === 'bash' && text(end).trim() === 'alive')).toBe(true);
  });

  test('lets ordinary files pass', () => {
    for (const tool of ['read', 'grep', 'find', 'ls']) {
      expect(
        ends.find((end) => end.toolName === tool && !end.isError),
        tool,
      ).toBeDefined();
    }
  });

  test('gives commands an environment without what is meant for pi', () => {
    const env = ends.map(text).find((found) => found.includes('PATH=')) ?? '';
    expect(env).toContain('TMPDIR=/tmp');
    expect(env).not.toMatch(/PI_CODING_AGENT_DIR|NODE_COMPILE_CACHE|JITI_FS_CACHE|NODE_OPTIONS|PI_SANDBOX_/);
  });

  test('keeps long output within the limit, with its end', () => {
    const long = ends.find((end) => text(end).includes('THE END'));
    expect(long).toBeDefined();
    expect(text(long!)).toContain('bytes of output left out here');
    expect(entries.filter((entry) => entry.kind === 'capped')).toMatchObject([{ limit: 'call' }]);
  });

  test('ends a call without a timeout by the default, and says so only there', () => {
    const timedOut = ends.map(text).filter((found) => found.includes('Command timed out'));
    expect(timedOut).toHaveLength(2);
    const byDefault = timedOut.filter((found) => found.includes('default of this sandbox'));
    expect(byDefault).toHaveLength(1);
    expect(byDefault[0]).toContain('after 2 seconds');
    expect(entries.filter((entry) => entry.kind === 'default-timeout')).toHaveLength(1);
  });

  test('tells the model the true default timeout', () => {
    expect(output).toContain('Timeout in seconds (optional, default 2)');
  });
});
