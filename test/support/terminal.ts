import { spawn } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { scenario, tempFolder } from './cli.ts';
import type { Lab } from './lab.ts';

export interface Terminal {
  /** Keys, as a keyboard sends them: Ctrl-C is `\u0003`. */
  type(keys: string): void;
  /** Settles when the screen has shown this. */
  until(text: RegExp): Promise<void>;
  /** `before` and `after` are the settings of the terminal around the command. */
  readonly ended: Promise<{ code: number; before: string; after: string; screen: string }>;
}

const BIN = path.join(import.meta.dirname, '../../bin/pi-sandbox.mjs');
const LIMIT_MS = 90_000;

/** `run` at a pseudo-terminal, made by script(1) of util-linux. */
export function terminal(home: Lab, scenarioText: string): Terminal {
  const folder = tempFolder('pt-');
  const file = path.join(folder, 'go.sh');
  const quoted = [process.execPath, BIN, 'run', home.repo, '--model', scenario(scenarioText), 'do', 'it'];
  // Ctrl-C goes to the whole foreground group; the shell around must outlive it to look at the terminal afterwards.
  const lines = [
    'trap : INT',
    'echo "before=$(stty -g)"',
    quoted.map((word) => `'${word}'`).join(' '),
    'echo "code=$?"',
    'echo "after=$(stty -g)"',
  ];
  writeFileSync(file, `${lines.join('\n')}\n`);
  const child = spawn('script', ['-q', '-e', '-c', `bash ${file}`, '/dev/null'], {
    env: { ...process.env, ...home.env, TERM: 'xterm' },
    stdio: 'pipe',
  });
  onTestFinished(() => {
    child.kill('SIGKILL');
  });
  let screen = '';
  const looks = new Set<() => void>();
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    screen += text;
    for (const look of looks) look();
  });
  const ended = new Promise<Awaited<Terminal['ended']>>((resolve, reject) => {
    const timer = setTimeout(() => reject(new Error(`not ended; the screen shows ${screen}`)), LIMIT_MS);
    child.once('error', reject);
    child.once('close', () => {
      clearTimeout(timer);
      const [, before, code, after] = /before=(\S+)[\s\S]*code=(\d+)[\s\S]*after=(\S+)/.exec(screen) ?? [];
      if (before === undefined || after === undefined)
        return reject(new Error(`ended early; the screen shows ${screen}`));
      resolve({ code: Number(code), before, after, screen });
    });
  });
  ended.catch(() => {});
  return {
    type: (keys) => void child.stdin.write(keys),
    until: (text) =>
      new Promise<void>((resolve, reject) => {
        const look = (): void => {
          if (!text.test(screen)) return;
          looks.delete(look);
          resolve();
        };
        looks.add(look);
        look();
        ended.then(() => reject(new Error(`ended without ${text}; the screen shows ${screen}`)), reject);
      }),
    ended,
  };
}
