import { PassThrough } from 'node:stream';
import { askAtTerminal } from '../../../src/cli/gate/terminal-ask.ts';
import type { GateQuestion, GateReply } from '../../../src/protocol/gate.ts';

export const QUESTION: GateQuestion = {
  ask: 1,
  call: 'call_1',
  tool: 'bash',
  arguments: { command: 'git push origin main' },
  rule: 'git-push',
  reason: 'Pushing changes what others have.',
  subject: 'git push',
  claimed: false,
  timeoutMs: 300_000,
};

/** A person's terminal: what it shows, and keys as they are typed. */
export class FakeTerminal {
  readonly keyboard = new PassThrough();
  readonly screen = Object.assign(new PassThrough(), { columns: 80, isTTY: true });
  shown = '';
  /** Modes that the keyboard was put into, in order. */
  readonly raw: boolean[] = [];
  interrupts = 0;
  /** Ends at Ctrl-C, as the turn of a run does. */
  readonly turn = new AbortController();
  readonly #looks = new Set<() => void>();

  constructor() {
    Object.assign(this.keyboard, { setRawMode: (mode: boolean) => this.raw.push(mode), isTTY: true });
    this.screen.setEncoding('utf8').on('data', (text: string) => {
      this.shown += text;
      for (const look of this.#looks) look();
    });
  }

  /** Settles when this has been shown so many times. */
  until(text: string, times = 1): Promise<void> {
    return new Promise((resolve) => {
      const look = (): void => {
        if (this.shown.split(text).length <= times) return;
        this.#looks.delete(look);
        resolve();
      };
      this.#looks.add(look);
      look();
    });
  }

  type(keys: string): void {
    this.keyboard.write(keys);
  }

  ask(question: Partial<GateQuestion> = {}, signal: AbortSignal = this.turn.signal): Promise<GateReply> {
    const terminal = {
      keyboard: this.keyboard,
      screen: this.screen,
      display: { terminal: true, color: false },
      interrupt: () => {
        this.interrupts++;
        this.turn.abort();
      },
    };
    const reply = askAtTerminal(terminal, { ...QUESTION, ...question }, signal);
    reply.catch(() => {});
    return reply;
  }

  /** What was shown, without what readline uses to move the cursor. */
  get text(): string {
    return this.shown.replace(/\u001b\[\d*[GJK]/g, '');
  }
}
