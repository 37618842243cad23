import type { Readable } from 'node:stream';
import { QUIET_MS } from './limits.ts';

/** Where a person types. */
export type Keyboard = Readable & { setRawMode?(mode: boolean): unknown };

const CTRL_C = 0x03;

/**
 * Takes away what was typed before a question could be read, until nothing was typed for a moment: a person who types
 * on, or a key that is held, must not answer what they have not seen. The terminal must be in raw mode, or it keeps
 * lines back.
 *
 * @returns bytes that were taken away, and whether one of them was Ctrl-C. Rejects when `signal` is aborted.
 */
export function leaveOutTyped(
  keyboard: Keyboard,
  signal: AbortSignal,
): Promise<{ readonly bytes: number; readonly interrupted: boolean }> {
  return new Promise((resolve, reject) => {
    let bytes = 0;
    let timer = setTimeout(() => end(false), QUIET_MS);
    const stop = (): void => {
      clearTimeout(timer);
      keyboard.off('data', typed).off('end', gone).off('close', gone);
      signal.removeEventListener('abort', gone);
      keyboard.pause();
    };
    const end = (interrupted: boolean): void => {
      stop();
      resolve({ bytes, interrupted });
    };
    const gone = (): void => {
      stop();
      reject(new Error('nobody is at the terminal'));
    };
    const typed = (chunk: Buffer | string): void => {
      const data = Buffer.from(chunk as Buffer);
      bytes += data.length;
      clearTimeout(timer);
      if (data.includes(CTRL_C)) end(true);
      else timer = setTimeout(() => end(false), QUIET_MS);
    };
    keyboard.on('data', typed).on('end', gone).on('close', gone);
    signal.addEventListener('abort', gone, { once: true });
    if (signal.aborted || keyboard.readableEnded || keyboard.destroyed) gone();
    else keyboard.resume();
  });
}
