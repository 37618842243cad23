/**
 * Writes the results of the long tests as a page: `node scripts/long-report.ts REPORT.json PAGE.md`. Tests hand over
 * figures as vitest task metadata (`context.task.meta.figures`), which stand beside the result.
 */
import { readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, release, totalmem, type } from 'node:os';
import { fileURLToPath } from 'node:url';
import { type Static, Type } from '@sinclair/typebox';
import { Value } from '@sinclair/typebox/value';

const Report = Type.Object({
  startTime: Type.Number(),
  testResults: Type.Array(
    Type.Object({
      assertionResults: Type.Array(
        Type.Object({
          fullName: Type.String(),
          status: Type.String(),
          duration: Type.Optional(Type.Union([Type.Number(), Type.Null()])),
          meta: Type.Optional(Type.Object({ figures: Type.Optional(Type.String()) })),
        }),
      ),
    }),
  ),
});
export type LongReport = Static<typeof Report>;

export function longPage(report: LongReport, machine: string): string {
  const rows = report.testResults
    .flatMap((file) => file.assertionResults)
    .map((test) => {
      const seconds = test.duration == null ? '' : (test.duration / 1000).toFixed(1);
      return `| ${cell(test.fullName)} | ${test.status} | ${seconds} | ${cell(test.meta?.figures ?? '')} |`;
    });
  return [
    '# Long tests',
    '',
    'Written by `npm run test:long`; do not edit.',
    '',
    `Run on ${new Date(report.startTime).toISOString()}, ${machine}.`,
    '',
    '| promise | result | seconds | figures |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n');
}

function cell(text: string): string {
  return text.replaceAll('|', '\\|').replaceAll('\n', ' ');
}

function thisMachine(): string {
  const gib = (totalmem() / 2 ** 30).toFixed(0);
  return `${type()} ${release()} ${arch()}, ${cpus().length} processors, ${gib} GiB, Node ${process.versions.node}`;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [from, to] = process.argv.slice(2);
  if (from === undefined || to === undefined) throw new Error('usage: long-report.ts REPORT.json PAGE.md');
  const report = Value.Parse(Report, JSON.parse(readFileSync(from, 'utf8')));
  writeFileSync(to, longPage(report, thisMachine()));
}
