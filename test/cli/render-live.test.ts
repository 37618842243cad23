import { describe, expect, it } from 'vitest';
import { answer, render, says, toolEnd, toolStart, toolUpdate } from './render-support.ts';

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

  it('gives way to a notice, which stays when the output is redrawn and when it ends', () => {
    const { out, renderer, record, tick } = render({ isTTY: true });
    record(toolStart('a', 'bash', { command: 'build' }));
    record(toolUpdate('a', 'one\ntwo'));
    out.echo('^C');
    renderer.notice('ending the turn');
    tick(200);
    record(toolUpdate('a', 'one\ntwo\nthree'));
    expect(out.screen).toEqual(['> [1] bash: build', 'ending the turn', '  [1] one', '  [1] two', '  [1] three', '']);
    renderer.close();
    expect(out.screen).toEqual(['> [1] bash: build', 'ending the turn', '']);
  });

  it('has usual lines on a terminal that reports no width', () => {
    const { out, record, tick } = render({ isTTY: true, columns: 0 });
    record(toolStart('a', 'bash', { command: 'x'.repeat(60) }));
    tick(200);
    record(toolUpdate('a', 'y'.repeat(60)));
    expect(out.screen).toEqual([`> [1] bash: ${'x'.repeat(60)}`, `  [1] ${'y'.repeat(60)}`, '']);
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

describe('words beside the record', () => {
  it('a status stands until anything else is shown, and is cut to one row', () => {
    const { out, renderer, record, tick } = render({ isTTY: true });
    renderer.status('Looking: 1 file');
    tick(200);
    renderer.status(`Looking: ${'9'.repeat(200)}`);
    expect(out.screen).toEqual([`Looking: ${'9'.repeat(70)}`, '']);
    record(toolStart('a', 'bash', { command: 'ls' }));
    expect(out.screen).toEqual(['> [1] bash: ls', '']);
    renderer.status('soon gone');
    renderer.close();
    expect(out.screen).toEqual(['> [1] bash: ls', '']);
  });

  it('a status is drawn at most ten times a second, and only on a terminal', () => {
    const terminal = render({ isTTY: true });
    for (let at = 0; at < 1_000; at++, terminal.tick(1)) terminal.renderer.status(`file ${at}`);
    expect(terminal.out.text.match(/file \d+\n/g)?.length).toBeLessThanOrEqual(10);
    const pipe = render();
    pipe.renderer.status('file');
    expect(pipe.out.text).toBe('');
  });

  it('neither is shown by a quiet run', () => {
    const { out, renderer } = render({ isTTY: true, quiet: true });
    renderer.notice('leftovers');
    renderer.status('copying');
    expect(out.text).toBe('');
  });

  it('a notice in the middle of streamed text gets a line of its own', () => {
    const { out, renderer } = render({ isTTY: true });
    renderer.delta({ call: 1, kind: 'text', text: 'Half' });
    renderer.notice('a \u001b[31mnotice');
    renderer.delta({ call: 1, kind: 'text', text: 'rest' });
    expect(out.screen.map((line) => line.trim())).toEqual(['Half', expect.stringContaining('notice'), 'rest']);
    expect(out.text).not.toContain('\u001b[31m');
  });
});

describe('while somebody else writes to the terminal', () => {
  it('keeps off it, and shows afterwards what came meanwhile', () => {
    const { out, renderer, record } = render({ isTTY: true });
    record(toolStart('a', 'bash', { command: 'build' }));
    record(toolUpdate('a', 'one\n'));
    renderer.wait();
    expect(out.screen).toEqual(['> [1] bash: build', '']);
    const before = out.text;
    record(toolUpdate('a', 'one\ntwo\n'));
    renderer.status('busy');
    renderer.delta({ call: 1, kind: 'text', text: 'Hm' });
    record(toolStart('b', 'bash', { command: 'ls' }));
    expect(out.text).toBe(before);
    out.echo('a question\n');
    renderer.goOn();
    expect(out.screen).toEqual(['> [1] bash: build', 'a question', 'Hm', '> [2] bash: ls', '']);
  });

  it('keeps so much of what comes meanwhile and says what it left out', () => {
    const { out, renderer, record } = render({ isTTY: true });
    renderer.wait();
    for (let at = 0; at < 2_000; at++) record(toolEnd('a', 'bash', `${'x'.repeat(70)}\n`.repeat(9)));
    renderer.goOn();
    expect(out.text.length).toBeLessThan(300_000);
    expect(out.text).toMatch(/! \d+ more lines came meanwhile and are not shown\n$/);
  });
});
