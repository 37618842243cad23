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
