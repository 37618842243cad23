import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { sanitize } from '../../src/lib/sanitize.ts';

const keep = { keepNewlines: true };
const one = { keepNewlines: false };

describe('sanitize', () => {
  it.each([
    ['clear screen', '\u001b[2J', '␛[2J'],
    ['reset', '\u001bc', '␛c'],
    ['OSC 52 clipboard', '\u001b]52;c;aGk=\u0007', '␛]52;c;aGk=␇'],
    ['OSC 8 link', '\u001b]8;;http://x\u001b\\text', '␛]8;;http://x␛\\text'],
    ['OSC 0 title', '\u001b]0;title\u0007', '␛]0;title␇'],
    ['C1 CSI', '\u009b2J', '<U+009B>2J'],
    ['DCS', '\u0090q', '<U+0090>q'],
    ['NUL and backspace', 'a\0b\b', 'a␀b␈'],
    ['DEL', '\u007f', '␡'],
    ['overwriting with CR', 'evil\rgood', 'evil␍good'],
    ['bidi override', 'a\u202Eb', 'a<U+202E>b'],
    ['bidi isolate', '\u2066x\u2069', '<U+2066>x<U+2069>'],
    ['zero width', 'a\u200Bb\uFEFF', 'a<U+200B>b<U+FEFF>'],
    ['tags', 'x\u{E0041}', 'x<U+E0041>'],
    ['variation selectors as a channel', 'x\u{E0101}\uFE01', 'x<U+E0101><U+FE01>'],
    ['line separators', 'a\u2028b\u2029', 'a<U+2028>b<U+2029>'],
    ['blank fillers', '\u3164\u115F', '<U+3164><U+115F>'],
    ['half a surrogate pair', '\uD83D', '<U+D83D>'],
    ['soft hyphen', 'pass\u00ADword', 'pass<U+00AD>word'],
  ])('shows %s (D83)', (_, text, shown) => {
    expect(sanitize(text, keep)).toBe(shown);
  });

  it('keeps ordinary text of the world', () => {
    const text = 'naïve café ☕ 日本語 العربية עברית ❤️ 👨‍👩‍👧 👍🏽 1️⃣\tend\n';
    expect(sanitize(text, keep)).toBe(text);
  });

  it('shows newlines where a line is wanted, and takes CR LF as one newline elsewhere', () => {
    expect(sanitize('a\nb', one)).toBe('a␊b');
    expect(sanitize('a\r\nb\r', keep)).toBe('a\nb␍');
  });

  it('shows selectors and joiners that belong to no emoji', () => {
    expect(sanitize('a\uFE0F\u200Db', keep)).toBe('a<U+FE0F><U+200D>b');
    expect(sanitize('❤\uFE0F\uFE0F', keep)).toBe('❤\uFE0F<U+FE0F>');
  });

  it('defuses commands to CI systems in a log', () => {
    const text = '::set-output name=x::y\n  ::error::z\nfine :: here\n##[error]no\nsee ##vso[task.x] ## title';
    const safe = sanitize(text, { keepNewlines: true, annotations: true });
    expect(safe).toBe(
      '\\::set-output name=x::y\n  \\::error::z\nfine :: here\n#\\#[error]no\nsee #\\#vso[task.x] ## title',
    );
  });

  it('takes linear time for a text of empty lines', () => {
    const start = performance.now();
    expect(sanitize('\n'.repeat(150_000), { keepNewlines: true, annotations: true })).toHaveLength(150_000);
    expect(performance.now() - start).toBeLessThan(1_500);
  });

  it('never lets a control or invisible character through, whatever the text', () => {
    const nasty = fc.string({ unit: fc.integer({ min: 0, max: 0x10ffff }).map((code) => String.fromCodePoint(code)) });
    const likely = fc.string({
      unit: fc.constantFrom(
        '\u001b',
        '\u009b',
        '\r',
        '\n',
        '\u202e',
        '\u200d',
        '\ufe0f',
        '👍',
        '#',
        '[',
        ':',
        'a',
        '\uD83D',
      ),
    });
    fc.assert(
      fc.property(fc.oneof(nasty, likely), fc.boolean(), (text, keepNewlines) => {
        const safe = sanitize(text, { keepNewlines, annotations: true });
        expect(safe).not.toMatch(keepNewlines ? /[^\P{Cc}\n\t]/u : /[^\P{Cc}\t]/u);
        expect(safe).not.toMatch(/[\u202A-\u202E\u2066-\u2069\u200B\u{E0000}-\u{E0FFF}\p{Cs}]/u);
        expect(safe).not.toMatch(/^\s*::|##\[/m);
      }),
      { numRuns: 2_000 },
    );
  });
});
