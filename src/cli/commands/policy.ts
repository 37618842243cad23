import path from 'node:path';
import { Type } from '@sinclair/typebox';
import { SandboxError } from '../../errors.ts';
import { plural, sentence } from '../../lib/format.ts';
import { sanitize } from '../../lib/sanitize.ts';
import { problemText, strictParse } from '../../lib/strict-parse.ts';
import { effectivePolicy, mergePolicy } from '../../policy/effective.ts';
import { loadPolicyLayers } from '../../policy/load.ts';
import { MAX_FILE_PROBLEMS, parsePolicyFile } from '../../policy/parse-file.ts';
import { readPolicyBytes } from '../../policy/read-file.ts';
import { RunRequest } from '../../request/run-request.ts';
import { environment } from '../environment.ts';
import { optionName } from '../option-name.ts';
import { policyText } from '../policy-text.ts';
import { printJson, printLine, say } from '../print.ts';

export interface PolicyShowOptions {
  readonly profile?: string;
  readonly policy?: string;
  readonly tools?: string;
  readonly excludeTools?: string;
  readonly json?: boolean;
}

/** `pi-sandbox policy check`: a line for each problem, else one that says what the file holds. Exit code 2 for any problem. */
export async function policyCheck(files: readonly string[]): Promise<number> {
  let wrong = false;
  for (const file of files) {
    const { problems, fits } = await judge(file);
    wrong ||= problems.length > 0;
    for (const { message, hint } of problems) printLine(hint === undefined ? message : `${message} ${hint}`);
    if (problems.length >= MAX_FILE_PROBLEMS)
      printLine(`${file}: only the first ${MAX_FILE_PROBLEMS} problems are shown.`);
    if (fits !== undefined) printLine(fits);
  }
  return wrong ? 2 : 0;
}

/** Each file by itself, upon what is built in and the profile that it names. */
async function judge(file: string): Promise<{ problems: readonly SandboxError[]; fits?: string }> {
  try {
    const { bytes, unsafe } = await readPolicyBytes(path.resolve(file), file);
    const { layer, problems } = parsePolicyFile(bytes, { path: path.resolve(file), shown: file });
    if (layer === undefined) return { problems };
    const merged = mergePolicy({}, [layer]);
    if (merged.policy === undefined) return { problems: merged.problems.slice(0, MAX_FILE_PROBLEMS) };
    // Says nothing about the content, and the copy that is checked is often not the one that is used.
    if (unsafe !== undefined) say(`pi-sandbox: a run would refuse this file: ${unsafe.message} ${unsafe.hint ?? ''}`);
    const rules = layer.commandRules.length + layer.pathRules.length + layer.toolRules.length;
    return {
      problems: [],
      fits: `${file}: fits; profile ${merged.policy.profile}, ${plural(rules, 'rule')} of its own.`,
    };
  } catch (error) {
    if (error instanceof SandboxError) return { problems: [error] };
    throw error;
  }
}

const Asked = Type.Pick(RunRequest, ['profile', 'tools', 'excludeTools']);

/** `pi-sandbox policy show`: what a run with these options would be held to, by whichever files there are. */
export async function policyShow({ policy: file, json, ...asked }: PolicyShowOptions): Promise<number> {
  const parsed = strictParse(Asked, asked);
  if (!parsed.ok) throw new SandboxError('usage', sentence(problemText(parsed.problems, optionName)));
  const layers = await loadPolicyLayers({ file, homeDir: environment.homeDir, ...environment.forPolicy });
  const policy = effectivePolicy(parsed.value, layers);
  if (json === true) printJson(policy);
  else process.stdout.write(sanitize(policyText(policy), { keepNewlines: true }));
  return 0;
}
