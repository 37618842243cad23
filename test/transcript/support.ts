import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { onTestFinished } from 'vitest';

/** A folder that is gone after the test. */
export function temporaryFolder(): string {
  const path = mkdtempSync(join(tmpdir(), 'ps-'));
  onTestFinished(() => rmSync(path, { recursive: true, force: true }));
  return path;
}

/** State root in a fresh folder; not created yet. */
export function freshStateRoot(): string {
  return join(temporaryFolder(), 'pi-sandbox');
}

export const RUN = '20261130T021610-3f9a2c';
