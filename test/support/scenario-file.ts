import { writeFileSync } from 'node:fs';
import path from 'node:path';

/** Writes a scenario with these turns, and returns where it is. JSON is YAML. */
export function scenarioFile(folder: string, turns: readonly object[]): string {
  const file = path.join(folder, 'scenario.yaml');
  writeFileSync(file, JSON.stringify({ turns }));
  return file;
}
