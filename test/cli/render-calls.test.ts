import { describe, expect, it } from 'vitest';
import { pi, RUN, refused, render, toolEnd, toolStart } from './render-support.ts';

describe('tool calls as text', () => {
  it('names the stage that refused a call (M1)', () => {
    const { out, record } = render();
    record(refused('a', 'nosuch', 'Tool nosuch not found'));
    record(refused('b', 'bash', 'Validation failed for tool "bash":\n  - command: required'));
    record(refused('c', 'read', 'pi-sandbox: read works on regular files only, and f is a named pipe'));
    record(toolEnd('d', 'bash', 'no\n\nCommand exited with code 3', { isError: true }));
    record(toolEnd('e', 'bash', '[redacted]', { structuredContent: undefined, details: undefined }));
    expect(out.text.split('\n').filter((line) => line.startsWith('  ='))).toEqual([
      '  = nosuch refused (unknown tool, as pi says): Tool nosuch not found',
      '  = bash refused (invalid arguments, as pi says): Validation failed for tool "bash":␊  - command: required',
      '  = read refused (guard, as pi says): pi-sandbox: read works on regular files only, and f is a named pipe',
      '  = bash tool error after 12 ms: Command exited with code 3',
      '  = bash done after 12 ms',
    ]);
  });

  it('shows calls that another one made below it (M12)', () => {
    const { out, record } = render();
    const nested = (id: string, parent: string) =>
      pi({
        type: 'tool_execution_start',
        toolCallId: id,
        toolName: 'bash',
        args: { command: id },
        parentToolCallId: parent,
      });
    record(toolStart('c', 'codemode', { code: 'x' }));
    record(nested('c/1', 'c'));
    record(toolEnd('c/1', 'bash', 'one'));
    record(nested('d/1', 'd'));
    record(toolEnd('c', 'codemode', 'all'));
    expect(out.text.split('\n')).toEqual([
      '> [1] codemode: {"code":"x"}',
      '  > [2] bash, made by [1]: c/1',
      '    = [2] done after 12 ms',
      '    | one',
      '  > [3] bash, made by another call: d/1',
      '  = [1] done after 12 ms',
      '  | all',
      '',
    ]);
  });

  it('shows the output of a failed call apart from the reason', () => {
    const { out, record } = render();
    record(toolEnd('a', 'bash', 'half\n\nCommand exited with code 3', { isError: true }));
    record(toolEnd('b', 'bash', '(no output)\n\nCommand timed out after 1 seconds', { isError: true }));
    expect(out.text.split('\n')).toEqual([
      '  = bash tool error after 12 ms: Command exited with code 3',
      '  | half',
      '  = bash tool error after 12 ms: Command timed out after 1 seconds',
      '',
    ]);
  });

  it('takes linear time to show the end of many empty lines', () => {
    const { out, record } = render();
    const start = performance.now();
    record(toolEnd('a', 'bash', `${'\n'.repeat(150_000)}end`));
    expect(performance.now() - start).toBeLessThan(1_500);
    expect(out.text).toContain('  | end\n');
  });

  it('says that a result was rewritten (M1)', () => {
    const { out, record } = render();
    const result = { content: [{ type: 'text', text: '[redacted]' }] };
    record(
      pi({ type: 'tool_execution_end', toolCallId: 'e', toolName: 'bash', result, isError: false, durationMs: 4 }),
    );
    expect(out.text).toContain('  = bash done after 4 ms; rewritten result');
  });

  it('says what was cut and how to see it: the end for bash, the start for read (M6, M7)', () => {
    const { out, record } = render();
    const truncation = {
      truncated: true,
      totalLines: 3_000,
      totalBytes: 13_893,
      outputLines: 2_000,
      outputBytes: 9_999,
    };
    const text = Array.from({ length: 2_000 }, (_, at) => String(at + 1_001)).join('\n');
    record(toolEnd('call_1', 'bash', text, { details: { truncation, fullOutputPath: '/spill/pi-bash-77.log' } }));
    record(toolEnd('call_2', 'read', text, { details: { truncation } }));
    const lines = out.text.split('\n');
    expect(lines[1]).toBe(`  | ... 1990 earlier lines: pi-sandbox output ${RUN} call_1`);
    expect(lines[11]).toBe('  | 3000');
    expect(lines[12]).toBe(
      `  | the model saw the last 2000 lines (9.8 KiB) of 3000 lines, 13.6 KiB; all of it: pi-sandbox output ${RUN} call_1`,
    );
    expect(lines[14]).toBe('  | 1001');
    expect(lines[24]).toBe(`  | ... 1990 more lines: pi-sandbox output ${RUN} call_2`);
    expect(lines[25]).toBe('  | the model saw the first 2000 lines (9.8 KiB) of 3000 lines, 13.6 KiB');
  });

  it.each([
    [
      'grep',
      { matchLimitReached: 100, linesTruncated: true },
      ['stopped at 100 matches', 'long lines were cut for the model'],
    ],
    ['find', { resultLimitReached: 1_000 }, ['stopped at 1000 paths']],
    ['ls', { entryLimitReached: 500 }, ['stopped at 500 entries']],
  ])('says where %s stopped (M6)', (tool, details, notes) => {
    const { out, record } = render();
    record(toolEnd('c', tool, 'x', { details }));
    for (const note of notes) expect(out.text).toContain(`  | ${note}\n`);
  });

  it('pairs parallel calls by number, in the order of their ends (M2)', () => {
    const { out, record } = render();
    record(toolStart('a', 'bash', { command: 'slow' }));
    record(toolStart('b', 'bash', { command: 'fast' }));
    record(toolEnd('b', 'bash', 'fast'));
    record(toolEnd('a', 'bash', 'slow'));
    expect(out.text).toMatch(
      /\[1\] bash: slow\n> \[2\] bash: fast\n {2}= \[2\] .*\n {2}\| fast\n {2}= \[1\] .*\n {2}\| slow\n/,
    );
  });
});
