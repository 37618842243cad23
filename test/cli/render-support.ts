import { Renderer } from '../../src/cli/render.ts';
import type { NewRecord, SandboxRecord } from '../../src/protocol/record.ts';

export const RUN = '20261130T021610-3f9a2c';

/** A place to write to that remembers; `isTTY` decides what the renderer may use. */
export class FakeOutput {
  text = '';
  readonly isTTY: boolean;
  readonly columns: number;

  constructor(isTTY = false, columns = 80) {
    this.isTTY = isTTY;
    this.columns = columns;
  }

  /** As a terminal does with a key that is pressed. */
  echo(text: string): void {
    this.text += text;
  }

  write(text: string): boolean {
    this.text += text;
    return true;
  }

  /** What stands on the screen after carrying out the movements that the renderer knows, as a terminal does. */
  get screen(): string[] {
    const rows = [''];
    let [row, column] = [0, 0];
    for (const part of this.text.split(/(\u001b\[\d+F|\u001b\[J|\n)/)) {
      const up = /^\u001b\[(\d+)F/.exec(part);
      const line = rows[row] ?? '';
      if (up !== null) [row, column] = [row - Number(up[1]), 0];
      else if (part === '\u001b[J') rows.splice(row, Number.POSITIVE_INFINITY, line.slice(0, column));
      else if (part === '\n') [row, column] = [row + 1, 0];
      else {
        rows[row] = line.padEnd(column).slice(0, column) + part + line.slice(column + part.length);
        column += part.length;
      }
      rows[row] ??= '';
    }
    return rows;
  }
}

/** Stamps records as a transcript would, one a second. */
export function recorder(renderer: Renderer) {
  let seq = 0;
  return (record: NewRecord): void => {
    const time = new Date(Date.UTC(2026, 10, 30, 2, 16, seq)).toISOString();
    renderer.record({ v: 1, seq: ++seq, time, run: RUN, ...record } as SandboxRecord);
  };
}

export const pi = (event: { type: string } & Record<string, unknown>): NewRecord => ({
  source: 'claimed',
  type: 'pi',
  event,
});

export function toolStart(id: string, toolName: string, args: unknown): NewRecord {
  return pi({ type: 'tool_execution_start', toolCallId: id, toolName, args });
}

export function toolUpdate(id: string, text: string): NewRecord {
  return pi({
    type: 'tool_execution_update',
    toolCallId: id,
    toolName: 'bash',
    args: {},
    partialResult: { content: [{ type: 'text', text }] },
  });
}

export function toolEnd(id: string, toolName: string, text: string, more: Record<string, unknown> = {}): NewRecord {
  const { details, structuredContent = { output: text }, ...rest } = more;
  const result = {
    content: [{ type: 'text', text }],
    structuredContent,
    ...(details === undefined ? {} : { details }),
  };
  return pi({ type: 'tool_execution_end', toolCallId: id, toolName, result, isError: false, durationMs: 12, ...rest });
}

/** A call that was turned away before it ran. */
export function refused(id: string, toolName: string, text: string): NewRecord {
  const result = { content: [{ type: 'text', text }], details: {} };
  return pi({ type: 'tool_execution_end', toolCallId: id, toolName, result, isError: true });
}

export const says = (text: string, more: Record<string, unknown> = {}): NewRecord =>
  pi({
    type: 'message_end',
    message: { role: 'assistant', content: [{ type: 'text', text }], stopReason: 'stop', ...more },
  });

/** A renderer on a place of its own, with a clock that `tick` moves. */
export function render(options: { isTTY?: boolean; columns?: number; color?: boolean; quiet?: boolean } = {}) {
  const out = new FakeOutput(options.isTTY, options.columns);
  let clock = 0;
  const renderer = new Renderer(out, {
    terminal: options.isTTY ?? false,
    color: options.color ?? false,
    quiet: options.quiet ?? false,
    now: () => clock,
  });
  const tick = (ms: number) => {
    clock += ms;
  };
  return { out, renderer, record: recorder(renderer), tick };
}

export const usage = { input: 1_200, output: 90, cacheRead: 3_000, cacheWrite: 0, costUsd: 0.0123 };

/** The gateway's record of an answer. */
export const answer = (call: number, text: string, more = {}) =>
  ({ source: 'observed', type: 'gateway.response', call, stopReason: 'stop', text, usage, ...more }) as const;

export const done = {
  outcome: 'completed',
  exitCode: 0,
  reason: 'The model ended its answer and pi left in order.',
} as const;
