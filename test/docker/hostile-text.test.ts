import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { call, type Ended, Session } from '../support/session.ts';

const session = new Session();
const ESC = '\u001b';
/** Clipboard, link, title, clear screen, reset, a C1 control, overwriting, reordering, and what CI systems obey. */
const HOSTILE = [
  `${ESC}]52;c;cm0gLXJmIH4=\u0007`,
  `${ESC}]8;;http://evil.example\u0007click${ESC}]8;;\u0007`,
  `${ESC}]0;owned\u0007`,
  `${ESC}[2J${ESC}[H`,
  `${ESC}c`,
  '\u009b31mC1',
  'good\revil',
  '\u202etxt.exe',
].join(' ');
const FILE = `a${ESC}]0;name\u0007\u009b1m.txt`;
/** What our own screen sends to a terminal: move up, clear to the end of line or screen, go to the start of a line. */
const OWN = /\u001b\[\d+F\u001b\[J|\r\n/g;
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/;

const repo = session.repository('repo', { 'README.md': 'hello\n', [FILE]: 'x\n', '.gitignore': '*.ignored\n' });
writeFileSync(path.join(repo, `${FILE}.ignored`), 'x\n');

/** Arguments of a run in which the model, a tool and a file name are hostile. */
function hostileRun(): string[] {
  const turns = [
    {
      text: `model: ${HOSTILE}`,
      thinking: `thinking: ${HOSTILE}`,
      tools: [call('bash', { command: `cat <<'END'\n${HOSTILE}\nEND` })],
    },
    {
      tools: [
        call('ls'),
        call('read', { path: `${HOSTILE}/missing` }),
        call(`tool${HOSTILE}`),
        call('bash', { command: 'printf "::error::x\\n"; exit 1' }),
      ],
    },
    { text: `last: ${HOSTILE}` },
  ];
  return [
    'run',
    '--repo',
    repo,
    '--workspace',
    'mount',
    '--profile',
    'review',
    '--model',
    session.script(turns, { reasoning: true }),
    `prompt ${HOSTILE}`,
  ];
}

describe('hostile text never reaches a terminal as it is (D83)', () => {
  let piped: Ended;
  let run: string;
  beforeAll(async () => {
    piped = await session.cli(hostileRun());
    run = /\d{8}T\d{6}-[0-9a-f]{6}/.exec(piped.stderr.toString())?.[0] ?? '';
  });

  test('on the error stream of a run everything is shown, and nothing is obeyed', () => {
    expect(piped.code).toBe(0);
    const text = piped.stderr.toString();
    expect(text).not.toMatch(CONTROLS);
    for (const word of ['owned', 'click', 'C1', 'txt.exe', 'evil']) expect(text).toContain(word);
    expect(text).toContain('␛]52;c;');
    expect(text).toContain('<U+202E>');
    expect(text).not.toMatch(/^\s*::error/m);
  });

  test('in logs neither, and with --json every control is escaped as JSON does', async () => {
    const logs = await session.cli(['logs', run]);
    expect(logs.stdout.toString()).toContain('␛]52;c;');
    expect(logs.stdout.toString()).not.toMatch(CONTROLS);
    const json = (await session.cli(['logs', run, '--json'])).stdout.toString();
    expect(json).not.toContain(ESC);
  });

  test('on a terminal only our own few sequences are sent', async () => {
    const terminal = session.pty(hostileRun());
    expect(await terminal.ended).toBe(0);
    const text = terminal.shown;
    expect(text).toContain('␛]52;c;');
    expect(text).toMatch(OWN);
    expect(text.replaceAll(OWN, '\n')).not.toMatch(CONTROLS);
  });

  test('the look finds what it looks for', () => {
    for (const piece of HOSTILE.split(' ')) expect(piece).toMatch(CONTROLS);
    expect(`${ESC}[2J`.replaceAll(OWN, '')).toMatch(CONTROLS);
  });

  test('the record keeps what was said, byte for byte', () => {
    const records = readFileSync(path.join(session.runs, run, 'events.jsonl'), 'utf8')
      .trim()
      .split('\n')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
    const said = records.filter(({ type }) => type === 'gateway.response').map(({ text }) => text);
    expect(said).toContain(`model: ${HOSTILE}`);
    expect(said).toContain(`last: ${HOSTILE}`);
  });
});
