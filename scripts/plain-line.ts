/**
 * Sums up results in one line, `N passed, N failed`, and exits 1 when something failed.
 * Arguments: the results file of scripts/check, then, for each run of vitest, its results without the ending
 * (`NAME.json` is the report, `NAME.exit` the exit code).
 */
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

export interface Counts {
  readonly passed: number;
  readonly failed: number;
  readonly skipped: number;
}

const Report = Type.Object({
  numPassedTests: Type.Integer(),
  numFailedTests: Type.Integer(),
  numPendingTests: Type.Integer(),
  numTodoTests: Type.Integer(),
  testResults: Type.Array(
    Type.Object({ name: Type.String(), status: Type.String(), assertionResults: Type.Array(Type.Unknown()) }),
  ),
});
type Report = Static<typeof Report>;

/** Counts `pass NAME` and `fail NAME` lines. */
export function countChecks(text: string): Counts {
  const lines = text.split('\n');
  const count = (word: string) => lines.filter((line) => line.startsWith(`${word} `)).length;
  return { passed: count('pass'), failed: count('fail'), skipped: 0 };
}

/**
 * Counts the tests of one vitest run. A file that failed to load has no tests and counts as one failure; so does a run
 * that left no report, or that ended badly although no test failed (an unhandled rejection, no test found).
 */
export function countTests(reportText: string | undefined, exitCode: number): Counts {
  const report = reportText === undefined ? undefined : parse(reportText);
  if (report === undefined) return { passed: 0, failed: 1, skipped: 0 };
  const unloaded = report.testResults.filter((file) => file.status === 'failed' && file.assertionResults.length === 0);
  const failed = report.numFailedTests + unloaded.length;
  return {
    passed: report.numPassedTests,
    failed: failed === 0 && exitCode !== 0 ? 1 : failed,
    skipped: report.numPendingTests + report.numTodoTests,
  };
}

export function plainLine(all: readonly Counts[]): string {
  const sum = (key: keyof Counts) => all.reduce((total, counts) => total + counts[key], 0);
  const skipped = sum('skipped');
  return `${sum('passed')} passed, ${sum('failed')} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
}

function parse(text: string): Report | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return Value.Check(Report, value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function readIfThere(path: string): string | undefined {
  try {
    return readFileSync(path, 'utf8');
  } catch {
    return undefined;
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [checks, ...runs] = process.argv.slice(2);
  const counts = [
    countChecks(readIfThere(checks ?? '') ?? 'fail no checks were run'),
    ...runs.map((run) => countTests(readIfThere(`${run}.json`), Number(readIfThere(`${run}.exit`) ?? 1))),
  ];
  console.log(plainLine(counts));
  process.exitCode = counts.some((one) => one.failed > 0) ? 1 : 0;
}
