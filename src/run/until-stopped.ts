import type { Stops } from './stops.ts';

/** Settles as `work` does, or rejects at once when the run has to end. The work itself is not cancelled. */
export async function untilStopped<T>(stops: Stops, work: Promise<T>): Promise<T> {
  work.catch(() => {});
  if (stops.signal.aborted) throw stops.signal.reason;
  let listener: (() => void) | undefined;
  const stopped = new Promise<never>((_, reject) => {
    listener = () => reject(stops.signal.reason);
    stops.signal.addEventListener('abort', listener, { once: true });
  });
  try {
    return await Promise.race([work, stopped]);
  } finally {
    if (listener) stops.signal.removeEventListener('abort', listener);
  }
}
