import type { TestContext } from 'vitest';

declare module 'vitest' {
  interface TaskMeta {
    /** What a long test measured, for the page of the long tests. */
    figures?: string;
  }
}

/** Puts what was measured beside the result of the test. */
export function figures(task: TestContext['task'], text: string): void {
  task.meta.figures = text;
}
