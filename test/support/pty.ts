import { spawn } from 'node:child_process';
import { once } from 'node:events';

/** A program on a terminal of its own. */
export interface OnTerminal {
  /** What the terminal was sent so far. */
  readonly shown: string;
  until(text: RegExp): Promise<void>;
  /** As if typed: U+0003 is Ctrl-C. */
  type(text: string): void;
  kill(): void;
  /** Its exit code. */
  readonly ended: Promise<number | null>;
}

/** Starts a program under script(1), which makes a terminal for it. */
export function onTerminal(command: readonly string[], env: NodeJS.ProcessEnv): OnTerminal {
  const quoted = command.map((word) => `'${word.replaceAll("'", `'\\''`)}'`).join(' ');
  const child = spawn('script', ['-q', '-e', '-f', '-c', `stty rows 50 cols 200; exec ${quoted}`, '/dev/null'], {
    env: { TERM: 'xterm', ...env },
  });
  let shown = '';
  const listeners = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    shown += text;
    for (const listener of listeners) listener();
  });
  const ended = once(child, 'close').then(([code]) => code as number | null);
  ended.catch(() => {});
  return {
    get shown() {
      return shown;
    },
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!text.test(shown)) return;
          listeners.delete(look);
          resolve();
        };
        listeners.add(look);
        look();
        ended.then(() => reject(new Error(`ended without ${text}: ${shown}`)), reject);
      }),
    type: (text) => void child.stdin.write(text),
    kill: () => void child.kill('SIGKILL'),
    ended,
  };
}
