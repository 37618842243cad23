/**
 * What redaction costs, on this machine: a tool result of 50 KB, a request of 1 MB when it is new and when all but its end
 * was in the one before, live text in pieces, and text that was made to be slow. With 20 secrets of the user.
 *
 *   npm run bench -- redact
 */
import { readFileSync } from 'node:fs';
import path from 'node:path';
import type { Message } from '@earendil-works/pi-ai';
import { RequestRedactor } from '../src/gateway/redact-request.ts';
import { linearRegExp } from '../src/lib/linear-regexp.ts';
import { Redactor } from '../src/policy/redact/redactor.ts';

const KB = 1_000;
const MB = 1_000_000;
const ROUNDS = 15;
const root = path.join(import.meta.dirname, '..');
const own = Array.from({ length: 20 }, (_, i) => ({
  name: `TOKEN_${i}`,
  value: `v${i}-x7fGh29ksl-${i * 7919}-qwerty`,
}));
const patterns = [{ id: 'customer', regexp: linearRegExp('CUST-\\d{6}') }];
const redactor = new Redactor({ known: true, patterns: [], own });
const withPattern = new Redactor({ known: true, patterns, own });

const code = readFileSync(path.join(root, 'src/run/execute.ts'), 'utf8');
const lock = readFileSync(path.join(root, 'package-lock.json'), 'utf8');
const fill = (text: string, length: number): string => text.repeat(Math.ceil(length / text.length)).slice(0, length);

function report(name: string, work: () => unknown, unit = 'ms', each = 1): void {
  work();
  const times = Array.from({ length: ROUNDS }, () => {
    const started = performance.now();
    work();
    return performance.now() - started;
  }).sort((a, b) => a - b);
  const at = (part: number): string => ((times[Math.floor(part * (times.length - 1))] ?? 0) / each).toFixed(3);
  console.log(`${name.padEnd(58)}${at(0.5).padStart(10)}${at(1).padStart(10)} ${unit}`);
}

console.log(`${''.padEnd(58)}${'median'.padStart(10)}${'worst'.padStart(10)}`);
report('a tool result of 50 KB, code', () => redactor.text(fill(code, 50 * KB)));
report('a tool result of 50 KB, a lock file', () => redactor.text(fill(lock, 50 * KB)));
report('the same with a pattern of the user', () => withPattern.text(fill(lock, 50 * KB)));

const body = JSON.stringify({ text: fill(code, MB) });
report('for comparison: parsing 1 MB of JSON', () => JSON.parse(body));
const results = Array.from(
  { length: 20 },
  (_, i): Message => toolResult(`${i} ${fill(i % 2 === 0 ? code : lock, 50 * KB)}`),
);
report('a request of 1 MB, new', () => requests().take(results));
const known = requests();
known.take(results);
let call = 0;
report('a request of 1 MB, of which 50 KB are new', () =>
  known.take([...results, toolResult(`${++call} ${fill(code, 50 * KB)}`)]),
);

const deltas = fill(code, 40 * KB).match(/[\s\S]{1,4}/g) ?? [];
report('live text, for each piece of 4 characters', () => through(deltas), 'ms', deltas.length);
const key = `-----BEGIN PRIVATE KEY-----\n${fill('A', 12 * KB)}`.match(/[\s\S]{1,4}/g) ?? [];
report('the same while a key of 12 KB goes by', () => through(key), 'ms', key.length);

for (const unit of ['TOKEN=', 'eyJ', '://a:b', '-----BEGIN PRIVATE KEY-----', own[0]?.value.slice(0, 12) ?? '']) {
  report(`1 MB of ${JSON.stringify(unit)}`, () => redactor.text(fill(unit, MB)));
}

function through(pieces: readonly string[]): void {
  const window = redactor.window();
  for (const piece of pieces) window.push(piece);
}

function requests(): RequestRedactor {
  return new RequestRedactor({ redactor, ownSecrets: 'report', isPrompt: () => false, record: () => {} });
}

function toolResult(text: string): Message {
  return {
    role: 'toolResult',
    toolCallId: '1',
    toolName: 'bash',
    content: [{ type: 'text', text }],
    isError: false,
    timestamp: 1,
  };
}
