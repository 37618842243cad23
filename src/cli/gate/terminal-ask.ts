import { createInterface } from 'node:readline/promises';
import type { Writable } from 'node:stream';
import { setTimeout as delay } from 'node:timers/promises';
import { messageOf } from '../../errors.ts';
import { MAX_NOTE_CHARS } from '../../protocol/ask-answer.ts';
import type { GateQuestion, GateReply } from '../../protocol/gate.ts';
import { type Span, span } from '../render-style.ts';
import { type Display, shownLine } from '../shown-line.ts';
import { MAX_TRIES } from './limits.ts';
import { showQuestion } from './question-lines.ts';
import { type Keyboard, leaveOutTyped } from './typed-ahead.ts';

export interface AskingTerminal {
  readonly keyboard: Keyboard;
  readonly screen: Writable & { readonly columns?: number };
  readonly display: Display;
  /** Ctrl-C, which means here what it means elsewhere in a run. */
  readonly interrupt: () => void;
}

/** Longest wait for the end of the turn, milliseconds. */
const TURN_END_MS = 2_000;
const DEFAULT_COLUMNS = 80;
const ANSWERS = new Map<string, 'once' | 'run' | 'deny' | 'show'>([
  ['y', 'once'],
  ['yes', 'once'],
  ['r', 'run'],
  ['run', 'run'],
  ['n', 'deny'],
  ['no', 'deny'],
  ['v', 'show'],
]);

/** Ctrl-C instead of an answer. */
class Interrupted extends Error {}

/**
 * Asks the person at the terminal about one call. The caller keeps everything else off the terminal meanwhile.
 * Rejects when there is no answer: `signal` is aborted, the terminal is gone, or what was typed is never an answer.
 */
export async function askAtTerminal(
  terminal: AskingTerminal,
  question: GateQuestion,
  signal: AbortSignal,
): Promise<GateReply> {
  signal.throwIfAborted();
  const { keyboard, screen } = terminal;
  const shown = showQuestion(question, screen.columns || DEFAULT_COLUMNS);
  print(terminal, shown.lines);
  try {
    // Line by line, the terminal itself would hold on to what was typed before.
    keyboard.setRawMode?.(true);
    const early = await leaveOutTyped(keyboard, signal);
    if (early.interrupted) throw new Interrupted();
    if (early.bytes > 0) say(terminal, 'What was typed before this question could be read is no answer.');
    return await answer(terminal, shown.whole, signal);
  } catch (error) {
    if (error instanceof Interrupted) {
      say(terminal, 'Denied.');
      // Back at once, for another Ctrl-C.
      keyboard.setRawMode?.(false);
      terminal.interrupt();
      await aborted(signal);
      return { decision: 'deny' };
    }
    const why: unknown = signal.aborted ? signal.reason : error;
    say(terminal, `Denied: ${messageOf(why)}.`);
    throw error;
  } finally {
    keyboard.setRawMode?.(false);
  }
}

async function answer(
  terminal: AskingTerminal,
  whole: readonly Span[][] | undefined,
  signal: AbortSignal,
): Promise<GateReply> {
  const keys = whole === undefined ? 'y/r/n' : 'y/r/n/v';
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const typed = await readAnswer(terminal, `Allow it? [${keys}] `, signal);
    const decision = ANSWERS.get(typed.trim().toLowerCase());
    if (decision === 'show' && whole !== undefined) print(terminal, whole);
    else if (decision === 'once' || decision === 'run') return { decision };
    else if (decision === 'deny') return await denial(terminal, signal);
    else say(terminal, `Please type one of ${keys.replaceAll('/', ', ')}, and Enter.`);
  }
  throw new Error('what was typed is no answer');
}

async function denial(terminal: AskingTerminal, signal: AbortSignal): Promise<GateReply> {
  const note = (await readAnswer(terminal, 'A word to the model? (Enter for none) ', signal)).trim();
  return { decision: 'deny', ...(note === '' ? {} : { note: note.slice(0, MAX_NOTE_CHARS) }) };
}

/** A line. Rejects with Interrupted at Ctrl-C, and with another error when nobody will type one. */
async function readAnswer({ keyboard, screen }: AskingTerminal, text: string, signal: AbortSignal): Promise<string> {
  const lines = createInterface({ input: keyboard, output: screen, terminal: true, historySize: 0 });
  const given = Promise.withResolvers<never>();
  given.promise.catch(() => {});
  lines.once('SIGINT', () => given.reject(new Interrupted()));
  lines.once('close', () => given.reject(new Error('nobody is at the terminal')));
  try {
    return await Promise.race([lines.question(text, { signal }), given.promise]);
  } catch (error) {
    // What comes next starts on a line of its own.
    screen.write('\n');
    throw error;
  } finally {
    lines.close();
  }
}

/**
 * Until the end of the turn has reached the call. A denial that came first would have the model go on, and the turn end
 * in the middle of its next answer.
 */
async function aborted(signal: AbortSignal): Promise<void> {
  await delay(TURN_END_MS, undefined, { signal }).catch(() => {});
}

function say(terminal: AskingTerminal, text: string): void {
  print(terminal, [[span(`  ${text}`)]]);
}

function print({ screen, display }: AskingTerminal, lines: readonly Span[][]): void {
  for (const line of lines) screen.write(shownLine(line, display));
}
