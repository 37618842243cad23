import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Renderer } from '../../src/cli/render.ts';
import { FakeOutput, pi, RUN, recorder, refused, says, toolEnd, toolStart, toolUpdate } from './render-support.ts';

function render(options: { isTTY?: boolean; color?: boolean; quiet?: boolean } = {}) {
  const out = new FakeOutput(options.isTTY);
  let clock = 0;
  const renderer = new Renderer(out, {
    color: options.color ?? false,
    quiet: options.quiet ?? false,
    now: () => clock,
  });
  const tick = (ms: number) => {
    clock += ms;
  };
  return { out, renderer, record: recorder(renderer), tick };
}

const usage = { input: 1_200, output: 90, cacheRead: 3_000, cacheWrite: 0, costUsd: 0.0123 };
const answer = (call: number, text: string, more = {}) =>
  ({ source: 'observed', type: 'gateway.response', call, stopReason: 'stop', text, usage, ...more }) as const;
const done = { outcome: 'completed', exitCode: 0, reason: 'The model ended its answer and pi left in order.' } as const;

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
        'completed: The model ended its answer and pi left in order.',
        '',
      ].join('\n'),
    );
  });

  it('names the stage that refused a call (M1)', () => {
    const { out, record } = render();
    record(refused('a', 'nosuch', 'Tool nosuch not found'));
    record(refused('b', 'bash', 'Validation failed for tool "bash":\n  - command: required'));
    record(refused('c', 'read', 'pi-sandbox: read works on regular files only, and f is a named pipe'));
    record(toolEnd('d', 'bash', 'no\n\nCommand exited with code 3', { isError: true }));
    record(toolEnd('e', 'bash', '[redacted]', { structuredContent: undefined, details: undefined }));
    expect(out.text.split('\n').filter((line) => line.startsWith('  ='))).toEqual([
      '  = nosuch refused (unknown tool): Tool nosuch not found',
      '  = bash refused (invalid arguments): Validation failed for tool "bash":␊  - command: required',
      '  = read refused (veto by the guard): pi-sandbox: read works on regular files only, and f is a named pipe',
      '  = bash tool error after 12 ms: Command exited with code 3',
      '  = bash done after 12 ms',
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
    expect(lines[1]).toBe(`  | ... 1990 more lines: pi-sandbox output ${RUN} call_1`);
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
    expect(out.text.split('\n').slice(0, -3)).toEqual([
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
    expect(out.text).toBe('0 model calls, 0 tokens in, 0 out, $0.00, 1.0 s\nlimit reached (wallMs): Too long.\n');
  });

  it('says how the run ended once', () => {
    const { out, renderer, record } = render();
    record({ source: 'observed', type: 'outcome', ...done });
    renderer.end(done);
    expect(out.text.match(/completed:/g)).toHaveLength(1);
  });

  it('shows a flood of damage as three lines and a number', () => {
    const { out, renderer, record } = render();
    for (let at = 0; at < 1_000; at++)
      record({ source: 'claimed', type: 'pi_damaged', reason: 'json', bytes: 2, preview: 'y' });
    renderer.end(done);
    expect(out.text.match(/no event \(json\)/g)).toHaveLength(3);
    expect(out.text).toContain('! 997 more records of the kind pi_damaged');
  });

  it('shows the words of pi only where no gateway was recorded', () => {
    const { out, record } = render();
    record(says('Hello.'));
    expect(out.text).toBe('Hello.\n');
  });

  it('passes over records that are not shaped like anything it knows', () => {
    const { out, record } = render();
    record({ source: 'claimed', type: 'pi', event: null });
    record({ source: 'claimed', type: 'pi', event: { type: 'tool_execution_end', toolCallId: 7 } });
    record({ source: 'observed', type: 'outcome', outcome: 'won', exitCode: 0, reason: 'x' });
    record({ source: 'observed', type: 'posture', fields: [] });
    expect(out.text).toBe('');
  });

  it('takes any record that a damaged or forged transcript may hold', () => {
    const kinds = [
      'pi',
      'pi_damaged',
      'stderr',
      'outcome',
      'notice',
      'gateway.response',
      'run_started',
      'imported',
      'x',
    ];
    const event = fc.record({
      type: fc.constantFrom('tool_execution_end', 'message_end', 'auto_retry_start'),
      result: fc.anything(),
    });
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom(...kinds),
            fc.dictionary(fc.string(), fc.anything()),
            fc.oneof(event, fc.anything()),
          ),
        ),
        (list) => {
          const { record } = render({ isTTY: true });
          for (const [type, fields, value] of list) record({ ...fields, source: 'claimed', type, event: value });
        },
      ),
    );
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

describe('live text', () => {
  it('comes from the gateway, and pi’s copy of it is not shown again', () => {
    const { out, renderer, record } = render();
    for (const text of ['Look', 'ing around.', '\nDone']) renderer.delta({ call: 1, kind: 'text', text });
    record(answer(1, 'Looking around.\nDone'));
    record(says('Something else that pi claims'));
    record(toolStart('a', 'bash', { command: 'ls' }));
    expect(out.text).toBe('Looking around.\nDone\n> [1] bash: ls\n');
  });

  it('keeps thinking, text and calls apart', () => {
    const { out, renderer } = render();
    renderer.delta({ call: 1, kind: 'thinking', text: 'Hm' });
    renderer.delta({ call: 1, kind: 'toolcall', text: '{"comm' });
    renderer.delta({ call: 1, kind: 'text', text: 'Yes.' });
    renderer.delta({ call: 2, kind: 'text', text: 'Another call' });
    renderer.close();
    expect(out.text).toBe('(thinking)\nHm\nYes.\nAnother call\n');
  });

  it('appears at once on a terminal, and in whole lines elsewhere', () => {
    const terminal = render({ isTTY: true });
    terminal.renderer.delta({ call: 1, kind: 'text', text: 'par' });
    expect(terminal.out.text).toBe('par');
    const pipe = render();
    pipe.renderer.delta({ call: 1, kind: 'text', text: 'par' });
    expect(pipe.out.text).toBe('');
    pipe.renderer.delta({ call: 1, kind: 'text', text: 'tial\nrest' });
    expect(pipe.out.text).toBe('partial\n');
  });

  it('does not break a character that comes in halves', () => {
    const { out, renderer } = render({ isTTY: true });
    for (const text of ['a\ud83d', '\udc4d\r', '\nb']) renderer.delta({ call: 1, kind: 'text', text });
    expect(out.text).toBe('a👍\nb');
  });

  it('never holds back more than a few KB', () => {
    const { out, renderer } = render();
    for (let at = 0; at < 100; at++) renderer.delta({ call: 1, kind: 'text', text: 'x'.repeat(1_000) });
    expect(out.text.length).toBeGreaterThan(90_000);
  });
});

describe('live tool output on a terminal (M20)', () => {
  it('is redrawn in place and gone when the call ends', () => {
    const { out, record, tick } = render({ isTTY: true });
    record(toolStart('a', 'bash', { command: 'build' }));
    record(toolUpdate('a', ''));
    expect(out.screen).toEqual(['> [1] bash: build', '']);
    tick(200);
    record(toolUpdate('a', 'one\n'));
    tick(200);
    record(toolUpdate('a', 'one\ntwo\nthree\nfour\nfive\nsix\n'));
    expect(out.screen).toEqual([
      '> [1] bash: build',
      '  [1] two',
      '  [1] three',
      '  [1] four',
      '  [1] five',
      '  [1] six',
      '',
    ]);
    record(toolEnd('a', 'bash', 'all'));
    expect(out.screen).toEqual(['> [1] bash: build', '  = [1] done after 12 ms', '  | all', '']);
  });

  it('is drawn at most ten times a second', () => {
    const { out, record, tick } = render({ isTTY: true });
    record(toolStart('a', 'bash', { command: 'yes' }));
    for (let at = 0; at < 1_000; at++, tick(1)) record(toolUpdate('a', `line ${at}`));
    expect(out.text.match(/line \d+\n/g)?.length).toBeLessThanOrEqual(10);
  });

  it('shows parallel calls side by side and never wraps', () => {
    const { out, record, tick } = render({ isTTY: true });
    for (const id of ['a', 'b']) record(toolStart(id, 'bash', { command: id }));
    record(toolUpdate('a', `${'日'.repeat(100)}\n\tx`));
    tick(200);
    record(toolUpdate('b', 'y'.repeat(500)));
    const live = out.screen.slice(2, -1);
    expect(live.map((line) => line.slice(0, 5))).toEqual(['  [1]', '  [1]', '  [2]']);
    for (const line of live)
      expect([...line].reduce((sum, char) => sum + (char < '\u007f' ? 1 : 2), 0)).toBeLessThan(80);
  });

  it('does not remember calls that never end without bound', () => {
    const { out, record, tick } = render({ isTTY: true });
    for (let at = 0; at < 1_000; at++) record(toolStart(`c${at}`, 'bash', { command: 'x' }));
    tick(200);
    record(toolUpdate('c0', 'forgotten'));
    expect(out.text).not.toContain('forgotten');
  });
});

const HOSTILE = [
  '\u001b]52;c;aGFja2Vk\u0007',
  '\u001b]8;;http://evil\u001b\\link\u001b]8;;\u001b\\',
  '\u001b]0;title\u0007\u001b[2J\u001bc',
  '\u009b2J\u0090dcs',
  'password: secret\rall is well',
  'a\u202Eb\u2066c\u200Bd',
  '\n::set-output name=x::y\n##[error]z\n##vso[task.complete]',
].join(' ');

function hostileRun(target: ReturnType<typeof render>): void {
  const { record, renderer, tick } = target;
  renderer.delta({ call: 1, kind: 'thinking', text: HOSTILE });
  for (const char of HOSTILE) renderer.delta({ call: 1, kind: 'text', text: char });
  record(toolStart(HOSTILE, HOSTILE, { [HOSTILE]: HOSTILE }));
  record(toolStart('x', 'bash', { command: HOSTILE }));
  tick(500);
  record(toolUpdate('x', HOSTILE));
  record(toolEnd('x', 'bash', HOSTILE, { details: { fullOutputPath: HOSTILE } }));
  record(refused('y', HOSTILE, HOSTILE));
  record(toolEnd('z', HOSTILE, HOSTILE.repeat(20), { isError: true }));
  record(says(HOSTILE, { stopReason: 'error', errorMessage: HOSTILE }));
  record(pi({ type: 'message_end', message: { role: 'user', content: HOSTILE } }));
  record(pi({ type: 'extension_error', event: HOSTILE, error: HOSTILE }));
  record(pi({ type: 'compaction_start', reason: HOSTILE }));
  record({ source: 'claimed', type: 'pi_damaged', reason: HOSTILE, bytes: 1, preview: HOSTILE });
  record({ source: 'claimed', type: HOSTILE, message: HOSTILE, hint: HOSTILE });
  record({
    source: 'observed',
    type: 'gateway.response',
    call: 9,
    stopReason: 'error',
    text: HOSTILE,
    error: HOSTILE,
    usage,
  });
  record({ source: 'observed', type: 'gateway.refused', message: HOSTILE });
  record({ source: 'observed', type: 'wire_refused', authority: HOSTILE });
  record({ source: 'claimed', type: 'stderr', who: HOSTILE, text: HOSTILE });
  const workspace = { mode: HOSTILE, root: HOSTILE };
  record({ source: 'observed', type: 'run_started', profile: HOSTILE, model: HOSTILE, tools: [HOSTILE], workspace });
  record({
    source: 'observed',
    type: 'outcome',
    outcome: 'agent_failed',
    exitCode: 1,
    reason: HOSTILE,
    limit: HOSTILE,
  });
}

describe('hostile text', () => {
  it('reaches a pipe without a control byte, an annotation, or a colour (D83, EV9, EV10)', () => {
    const target = render({ color: true });
    hostileRun(target);
    expect(target.out.text).not.toMatch(/[^\P{Cc}\n\t]/u);
    expect(target.out.text).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B]/);
    expect(target.out.text).not.toMatch(/^\s*::|##\[|##vso\[/m);
    expect(target.out.text).toContain('␛]52;c;');
  });

  it('reaches a terminal with no sequence but our own colours and redraws (D83)', () => {
    const target = render({ isTTY: true, color: true });
    hostileRun(target);
    const rest = target.out.text.replaceAll(/\u001b\[(0|1|2|31|32|33|36)m|\u001b\[\d+A\u001b\[J/g, '');
    expect(rest).not.toBe(target.out.text);
    expect(rest).not.toMatch(/[^\P{Cc}\n\t]/u);
  });

  it('brings no colour to a terminal that wants none', () => {
    const target = render({ isTTY: true, color: false });
    hostileRun(target);
    expect(target.out.text).not.toMatch(/\u001b\[\d*m/);
  });
});
