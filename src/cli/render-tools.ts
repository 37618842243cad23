import type { Static } from '@sinclair/typebox';
import type { ToolEnd, ToolStart, ToolUpdate } from '../events/pi-schema.ts';
import { type Refusal, refusalText } from '../events/refusal.ts';
import { clip } from '../lib/bounded-text.ts';
import { formatDuration, plural } from '../lib/format.ts';
import { argumentLine } from './render-arguments.ts';
import { RunningCalls } from './render-calls.ts';
import { cuts, excerpt } from './render-result.ts';
import type { Screen } from './render-screen.ts';
import { span } from './render-style.ts';

/** What a tool call came to; worked out by the caller, so that this file only draws. */
export interface Ended {
  readonly event: Static<typeof ToolEnd>;
  readonly text: string;
  readonly refusal: Refusal | undefined;
}

const REDRAW_MS = 100;
const ARGUMENT_CHARS = 300;
/** Before the lines of a call that another one made, for each that it is nested in. */
const INDENT = '  ';
/** Calls that go on at the end of a run and are named. */
const MAX_CUT_OFF = 5;
/** What pi tells the model about a command that printed nothing. */
const NO_OUTPUT = '(no output)';

/** Tool calls: a line when they start, live output on a terminal, result and verdict when they end. */
export class ToolView {
  readonly #screen: Screen;
  readonly #now: () => number;
  readonly #calls = new RunningCalls();
  #drawnAt = Number.NEGATIVE_INFINITY;

  constructor(screen: Screen, now: () => number) {
    this.#screen = screen;
    this.#now = now;
  }

  start({ toolCallId, toolName, args, parentToolCallId }: Static<typeof ToolStart>): void {
    const { number, parent, depth } = this.#calls.start(toolCallId, toolName, parentToolCallId);
    const maker =
      parentToolCallId === undefined ? '' : `, made by ${parent === undefined ? 'another call' : `[${parent}]`}`;
    const head = `[${number}] ${toolName}${maker}: `;
    const indent = INDENT.repeat(depth);
    const room = Math.min(ARGUMENT_CHARS, Math.max(20, this.#screen.columns - indent.length - head.length - 3));
    this.#screen.line(span(`${indent}> `, 'cyan'), span(head, 'bold'), span(clip(argumentLine(toolName, args), room)));
  }

  update(event: Static<typeof ToolUpdate>, text: string): void {
    this.#calls.progress(event.toolCallId, text);
    if (this.#now() - this.#drawnAt < REDRAW_MS) return;
    this.#drawnAt = this.#now();
    this.#screen.live(this.#calls.liveLines());
  }

  end({ event, text, refusal }: Ended, run: string): void {
    const call = this.#calls.end(event.toolCallId);
    const name = call === undefined ? event.toolName : `[${call.number}]`;
    const command = `pi-sandbox output ${run} ${event.toolCallId}`;
    const refused = event.durationMs === undefined && refusal !== undefined;
    const indent = INDENT.repeat(call?.depth ?? 0);
    // The verdict comes first: of several calls at once it says whose output follows.
    this.#verdict(`${indent}  = ${name}`, event, text, refusal);
    if (!refused) this.#result(event, text, { command, indent });
    this.#screen.live(this.#calls.liveLines());
  }

  /** Calls that go on when the run ends: no end of theirs will come. */
  cutOff(limit: string | undefined): void {
    const open = this.#calls.open();
    const why = limit === undefined ? 'ended with the run' : `ended with the run (limit: ${limit})`;
    for (const { number } of open.slice(0, MAX_CUT_OFF)) this.#screen.line(span(`  = [${number}] ${why}`, 'yellow'));
    const more = open.length - MAX_CUT_OFF;
    if (more > 0) this.#screen.line(span(`  = ${plural(more, 'more call')} ${why}`, 'yellow'));
  }

  #result(event: Static<typeof ToolEnd>, text: string, { command, indent }: { command: string; indent: string }): void {
    const bar = `${indent}  | `;
    const shown = excerpt(event.toolName, output(event, text), this.#screen.columns - indent.length);
    const more = `${bar}... ${plural(shown.hidden, shown.tail ? 'earlier line' : 'more line')}: ${command}`;
    if (shown.hidden > 0 && shown.tail) this.#screen.line(span(more, 'dim'));
    for (const line of shown.lines) this.#screen.line(span(bar, 'dim'), span(line));
    if (shown.hidden > 0 && !shown.tail) this.#screen.line(span(more, 'dim'));
    const { notes, kept } = cuts(event.toolName, event.result.details);
    for (const note of notes)
      this.#screen.line(span(`${bar}${note}${kept ? `; all of it: ${command}` : ''}`, 'yellow'));
  }

  #verdict(head: string, event: Static<typeof ToolEnd>, text: string, refusal: Refusal | undefined): void {
    const took = event.durationMs === undefined ? '' : ` after ${formatDuration(event.durationMs)}`;
    if (refusal === undefined) {
      this.#screen.line(span(`${head} done${took}`, 'dim'));
      return;
    }
    const { stage, source, ignored, reason } = refusal;
    if (stage === 'rewritten result') this.#screen.line(span(`${head} done${took}; ${stage}`, 'yellow'));
    else if (stage === 'aborted') this.#screen.line(span(`${head} aborted${took}`, 'yellow'));
    else if (stage === 'tool error') this.#screen.line(span(`${head} ${stage}${took}: `, 'red'), span(lastLine(text)));
    else {
      const how = ignored === true ? `done${took} ALTHOUGH refused` : 'refused';
      const words = source === 'observed' ? (reason ?? '') : text;
      this.#screen.line(span(`${head} ${how} (${refusalText(refusal)}): `, 'red'), span(clip(words, ARGUMENT_CHARS)));
    }
  }
}

/** What the tool itself put out: without the reason of a failure, which is shown as the verdict. */
function output({ isError }: Static<typeof ToolEnd>, text: string): string {
  const own = isError ? text.trimEnd().split('\n').slice(0, -1).join('\n').trimEnd() : text;
  return own === NO_OUTPUT ? '' : own;
}

/** pi puts the reason of a failure at the end. */
function lastLine(text: string): string {
  return clip(text.trimEnd().split('\n').at(-1) ?? '', ARGUMENT_CHARS);
}
