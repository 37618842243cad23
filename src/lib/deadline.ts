/** Thrown by `withDeadline`. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError';
  readonly waitedMs: number;

  constructor(what: string, waitedMs: number) {
    super(`${what} took longer than ${waitedMs} ms`);
    this.waitedMs = waitedMs;
  }
}

/** Settles as `work` does, or rejects with a DeadlineError after `ms`. The work itself is not cancelled. */
export async function withDeadline<T>(what: string, ms: number, work: Promise<T>): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const expired = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new DeadlineError(what, ms)), ms);
  });
  try {
    return await Promise.race([work, expired]);
  } finally {
    clearTimeout(timer);
  }
}
