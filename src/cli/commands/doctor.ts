import type { DoctorReport } from '../../protocol/doctor-report.ts';
import type { Check, Level } from '../doctor/check.ts';
import { examine } from '../doctor/examine.ts';
import { environment } from '../environment.ts';
import { printJson } from '../print.ts';
import { Screen } from '../render-screen.ts';
import { type Style, span } from '../render-style.ts';

const STYLES: Record<Level, Style> = { ok: 'green', warn: 'yellow', fail: 'red' };
const CANNOT_START = 5;
const ID_COLUMNS = 16;

/** `pi-sandbox doctor`: 0 when a run can start, 5 when not. */
export async function doctor(options: { readonly json?: boolean }): Promise<number> {
  const checks = await examine();
  const canStart = checks.every((check) => check.level !== 'fail');
  const report: DoctorReport = { v: 1, canStart, checks };
  if (options.json === true) printJson(report);
  else print(checks, canStart);
  return canStart ? 0 : CANNOT_START;
}

function print(checks: readonly Check[], canStart: boolean): void {
  const screen = new Screen(process.stdout, environment.display(process.stdout));
  for (const { id, level, found, meaning, advice } of checks) {
    screen.line(span(level.padEnd(5), STYLES[level]), span(id.padEnd(ID_COLUMNS)), span(found));
    for (const text of [meaning, advice]) if (text !== undefined) screen.line(span(`      ${text}`, 'dim'));
  }
  const warnings = checks.filter(({ level }) => level === 'warn').length;
  const verdict = canStart ? 'A run can start' : 'No run can start';
  screen.line(span(`${verdict}${warnings > 0 ? `; ${warnings} things to know` : ''}.`, canStart ? 'green' : 'red'));
}
