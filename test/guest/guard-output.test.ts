import { describe, expect, test } from 'vitest';
import { type Capped, cappedBash } from '../../images/guest/capped-bash.ts';
import { OutputTail, TAIL_BYTES } from '../../images/guest/output-tail.ts';
import { SpillBudget } from '../../images/guest/spill-budget.ts';

/** The sizes at which pi 1.6.0 opens a temp file. */
const PI_BYTES = 51_200;
const PI_LINES = 2000;

const LIMITS = {
  bashTimeoutSeconds: 7,
  spillBytesPerCall: 300_000,
  spillBytesPerRun: 700_000,
  spillReserveBytes: 50_000,
  gateTimeoutMs: 1_000,
};

function setUp(options: { free?: number; limits?: Partial<typeof LIMITS> } = {}) {
  let free = options.free ?? 10_000_000;
  const budget = new SpillBudget({ ...LIMITS, ...options.limits }, () => free);
  const run = async (chunks: readonly Buffer[]) => {
    const seen: Buffer[] = [];
    const capped: Capped[] = [];
    let timeout: number | undefined;
    const operations = cappedBash(
      {
        async exec(_command, _cwd, exec) {
          timeout = exec.timeout;
          for (const chunk of chunks) exec.onData(chunk);
          return { exitCode: 0 };
        },
      },
      { budget, defaultTimeoutSeconds: LIMITS.bashTimeoutSeconds, onCapped: (what) => capped.push(what) },
    );
    await operations.exec('x', '/', { onData: (chunk) => seen.push(chunk) });
    const all = Buffer.concat(seen);
    return { all, text: all.toString(), capped, timeout };
  };
  return { run, setFree: (bytes: number) => (free = bytes) };
}

function lines(count: number, length = 100): Buffer[] {
  return Array.from({ length: count }, (_, index) => Buffer.from(`${String(index).padStart(length - 1, '.')}\n`));
}

const decodedBytes = (raw: Buffer): number => Buffer.byteLength(raw.toString('utf8'));
const lineCount = (text: string): number => text.split('\n').length;

describe('kept output of bash', () => {
  test('output within the limits passes unchanged', async () => {
    const { run } = setUp();
    const chunks = lines(2500);
    const { all, capped } = await run(chunks);
    expect(all.equals(Buffer.concat(chunks))).toBe(true);
    expect(capped).toEqual([]);
  });

  test('one call keeps its beginning and its end, and says what is missing between', async () => {
    const { run } = setUp();
    const { all, text, capped } = await run(lines(20_000));
    expect(all.length).toBeLessThan(LIMITS.spillBytesPerCall + TAIL_BYTES + 500);
    expect(text.startsWith('.')).toBe(true);
    expect(text.trimEnd().endsWith('19999')).toBe(true);
    const [one] = capped;
    expect(capped).toHaveLength(1);
    expect(one).toMatchObject({ limit: 'call' });
    expect(text).toContain(`[pi-sandbox: ${one?.dropped} bytes of output left out here`);
    const noticeLength = text.match(/\n\[pi-sandbox:.*\]\n/)?.[0].length ?? 0;
    expect(all.length - noticeLength + (one?.dropped ?? 0)).toBe(20_000 * 100);
  });

  test('one endless line still shows its end', async () => {
    const { run } = setUp();
    const { text, capped } = await run([
      ...Array.from({ length: 50 }, () => Buffer.alloc(64_000, 'y')),
      Buffer.from('THE END'),
    ]);
    expect(text.endsWith('THE END')).toBe(true);
    expect(capped).toMatchObject([{ limit: 'call' }]);
  });

  test('a run as a whole has a limit', async () => {
    const { run } = setUp();
    for (let call = 0; call < 2; call += 1) expect((await run(lines(2900))).capped).toEqual([]);
    expect((await run(lines(2900))).capped).toMatchObject([{ limit: 'run' }]);
  });

  test('small outputs never use up the limit of a run', async () => {
    const { run } = setUp();
    for (let call = 0; call < 200; call += 1) expect((await run(lines(100))).capped).toEqual([]);
  });

  test.each([
    ['text', () => Buffer.alloc(64_000, 'a line of text with some length\n')],
    ['bytes that are not UTF-8', () => Buffer.alloc(64_000, 0xff)],
    ['empty lines', () => Buffer.alloc(64_000, '\n')],
    ['three-byte characters', () => Buffer.alloc(64_000, '€')],
  ])('with no room left, pi is never made to open a file: %s', async (_what, chunk) => {
    const { run, setFree } = setUp();
    setFree(1000);
    for (const head of [0, 5000, 11_000, 11_999]) {
      const { all, text, capped } = await run([chunk().subarray(0, head), chunk(), chunk()]);
      expect(capped).toMatchObject([{ limit: 'space' }]);
      expect(decodedBytes(all)).toBeLessThanOrEqual(PI_BYTES);
      expect(lineCount(text)).toBeLessThanOrEqual(PI_LINES);
    }
  });

  test('what running calls were granted counts as written', async () => {
    const budget = new SpillBudget({ ...LIMITS, spillBytesPerRun: 10_000_000 }, () => 400_000);
    expect(budget.grant(200_000, 0)).toBeUndefined();
    expect(budget.grant(200_000, 0)).toBe('space');
    budget.ended(200_000);
    expect(budget.grant(200_000, 0)).toBeUndefined();
  });

  test('a call without a timeout gets the default one', async () => {
    const { run } = setUp();
    expect((await run([])).timeout).toBe(7);
  });
});

describe('the end of an output', () => {
  test('memory stays bounded and every byte is accounted for', () => {
    const tail = new OutputTail();
    for (let count = 0; count < 1000; count += 1) tail.push(Buffer.alloc(65_536, 'z'));
    const { text, dropped } = tail.take(1000, 10);
    expect(text.length).toBe(1000);
    expect(dropped + text.length).toBe(1000 * 65_536);
  });

  test('is cut at a character', () => {
    const tail = new OutputTail();
    tail.push(Buffer.from('€'.repeat(100)));
    expect(tail.take(100, 10).text.toString()).toBe('€'.repeat(33));
  });
});
