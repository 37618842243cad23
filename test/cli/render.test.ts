import { describe, expect, it } from 'vitest';
import { BOUNDARY } from '../../src/cli/boundary.ts';
import { answer, done, pi, RUN, render, says, toolEnd, toolStart, toolUpdate, usage } from './render-support.ts';

describe('a run as text', () => {
  it('reads like the run went', () => {
    const { out, record } = render();
    record({ source: 'observed', type: 'notice', message: '.env is ignored and stays outside' });
    record(
      pi({
        type: 'message_end',
        message: { role: 'user', content: [{ type: 'text', text: 'what is this?\nbriefly' }] },
      }),
    );
    record(answer(1, 'Looking around.', { stopReason: 'toolUse' }));
    record(says('Looking around, as pi says', { stopReason: 'toolUse' }));
    record(toolStart('call_1', 'bash', { command: 'ls -la\npwd', timeout: 5 }));
    record(toolUpdate('call_1', 'not shown without a terminal'));
    record(toolEnd('call_1', 'bash', 'README.md\nsrc\n'));
    record(toolStart('call_2', 'read', { path: 'README.md', limit: 3 }));
    record(toolEnd('call_2', 'read', '# Title'));
    record(answer(2, 'It is a library.'));
    record(says('It is a library, as pi says'));
    record({ source: 'observed', type: 'outcome', ...done });
    expect(out.text).toBe(
      [
        '- .env is ignored and stays outside',
        '# what is this?␊briefly',
        'Looking around.',
        '> [1] bash: ls -la␊pwd timeout=5',
        '  = [1] done after 12 ms',
        '  | README.md',
        '  | src',
        '> [2] read: README.md limit=3',
        '  = [2] done after 12 ms',
        '  | # Title',
        'It is a library.',
        '2 model calls, 2.4k tokens in, 180 out (cache: 6.0k read, 0 written), $0.0246, 11.0 s',
        BOUNDARY,
        'completed: The model ended its answer and pi left in order.',
        '',
      ].join('\n'),
    );
  });

  it('shows failed model calls, retries and giving up', () => {
    const { out, record } = render();
    record(says('', { stopReason: 'error', errorMessage: '429: slow down' }));
    record(pi({ type: 'auto_retry_start', attempt: 1, maxAttempts: 3, delayMs: 2_000, errorMessage: '429' }));
    record(pi({ type: 'auto_retry_end', success: false, attempt: 3, finalError: '429' }));
    record(pi({ type: 'extension_error', extensionPath: '/g', event: 'session_start', error: 'boom' }));
    expect(out.text.split('\n')).toEqual([
      '! the model call failed: 429: slow down',
      '! pi asks again in 2.0 s (1 of 3)',
      '! pi gave up after 3 more attempts',
      '! an extension failed in session_start: boom',
      '',
    ]);
  });

  it('shows a failed answer as the gateway saw it, not what pi says about it', () => {
    const { out, record } = render();
    record(answer(1, '', { stopReason: 'error', error: 'the provider is overloaded' }));
    record(says('', { stopReason: 'error', errorMessage: 'something else' }));
    record(answer(2, 'Half an', { stopReason: 'length' }));
    expect(out.text.split('\n')).toEqual([
      '! the model call failed: the provider is overloaded',
      'Half an',
      "! the model's answer was cut off at its limit of output tokens",
      '',
    ]);
  });

  it('says how the run began', () => {
    const { out, record } = render();
    const workspace = { mode: 'copy', root: '/repo', files: 2, bytes: 3 };
    record({
      source: 'observed',
      type: 'run_started',
      profile: 'edit',
      model: 'scripted:a',
      tools: ['read', 'bash'],
      workspace,
    });
    record({ source: 'observed', type: 'imported', files: 2_000, bytes: 3_145_728, ms: 250 });
    expect(out.text).toBe(
      `- ${RUN}: edit on a copy of /repo with scripted:a; tools: read, bash\n- copied in 2000 files, 3 MiB, in 250 ms\n`,
    );
  });

  it('shows refusals of gateway and wire, and the end of the error streams', () => {
    const { out, record, renderer } = render();
    for (let at = 0; at < 5; at++)
      record({ source: 'observed', type: 'gateway.refused', code: 'route', message: 'no such route' });
    record({ source: 'observed', type: 'gateway.limit', limit: 'gateway.requests', message: '200 model calls' });
    record({ source: 'observed', type: 'wire_refused', authority: 'example.org:443' });
    record({ source: 'claimed', type: 'stderr', who: 'pi', bytes: 9, text: '1\n2\n3\n4\n5\n6\n' });
    renderer.end({ outcome: 'agent_failed', exitCode: 1, reason: 'pi crashed.' });
    expect(out.text.split('\n').slice(0, -4)).toEqual([
      ...Array(3).fill('! the gateway refused a request: no such route'),
      '! gateway.limit: 200 model calls',
      '! the wire refused a connection to example.org:443',
      '! 2 more records of the kind gateway.refused',
      ...[2, 3, 4, 5, 6].map((line) => `! pi on its error stream: ${line}`),
    ]);
  });

  it('does not bother the reader of a good run with error streams', () => {
    const { out, record, renderer } = render();
    record({ source: 'claimed', type: 'stderr', who: 'pi', bytes: 9, text: 'a warning' });
    renderer.end(done);
    expect(out.text).not.toContain('a warning');
  });

  it('counts usage from observed records only', () => {
    const { out, record } = render();
    record({ source: 'claimed', type: 'model_call', usage: { ...usage, costUsd: 1_000 } });
    record({
      source: 'observed',
      type: 'outcome',
      outcome: 'limit_reached',
      exitCode: 4,
      reason: 'Too long.',
      limit: 'wallMs',
    });
    expect(out.text).toBe(
      `0 model calls, 0 tokens in, 0 out, $0.00, 1.0 s\n${BOUNDARY}\nlimit reached (wallMs): Too long.\n`,
    );
  });

  it('says how the run ended once', () => {
    const { out, renderer, record } = render();
    record({ source: 'observed', type: 'outcome', ...done });
    renderer.end(done);
    expect(out.text.match(/completed:/g)).toHaveLength(1);
  });

  it('shows the words of pi only where no gateway was recorded', () => {
    const { out, record } = render();
    record(says('Hello.'));
    expect(out.text).toBe('Hello.\n');
  });

  it('is silent but for trouble and the outcome when it is quiet', () => {
    const { out, renderer, record } = render({ quiet: true });
    record({ source: 'observed', type: 'notice', message: 'x' });
    record(toolStart('a', 'bash', { command: 'ls' }));
    renderer.delta({ call: 1, kind: 'text', text: 'hello\n' });
    record({ source: 'observed', type: 'transcript_full', maxBytes: 67_108_864 });
    renderer.end(done);
    expect(out.text).toBe(
      '! the transcript is full at 64 MiB; what came later was not kept\ncompleted: The model ended its answer and pi left in order.\n',
    );
  });
});
