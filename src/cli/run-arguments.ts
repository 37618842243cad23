import { statSync } from 'node:fs';
import path from 'node:path';
import { SandboxError } from '../errors.ts';
import { parseSize } from '../lib/bytes.ts';
import { parseCount } from '../lib/count.ts';
import { parseDuration } from '../lib/duration.ts';
import { parseUsd } from '../lib/money.ts';
import { MAX_TIMER_MS, parseRunRequest, type RunRequest } from '../request/run-request.ts';
import { optionName } from './option-name.ts';
import { askOrLeave, readPrompt, readPromptFile } from './prompt.ts';

/** Options of `run` as commander gives them. */
export interface RunOptions {
  readonly repo?: string;
  readonly promptFile?: string;
  readonly profile?: string;
  readonly policy?: string;
  readonly model?: string;
  readonly thinking?: string;
  readonly baseUrl?: string;
  readonly image?: string;
  readonly workspace?: string;
  readonly include?: string[];
  readonly exclude?: string[];
  readonly trustProject?: boolean;
  readonly tools?: string;
  readonly excludeTools?: string;
  readonly network?: string;
  readonly allow?: string[];
  readonly timeout?: string;
  readonly idleTimeout?: string;
  readonly bashTimeout?: string;
  readonly maxTurns?: string;
  readonly maxTokens?: string;
  readonly maxUsd?: string;
  readonly memory?: string;
  readonly cpus?: string;
  readonly pids?: string;
  readonly disk?: string;
  readonly runtime?: string;
  readonly acceptWeaker?: string[];
  readonly keepOutputs?: boolean;
  readonly ask?: string;
  readonly json?: boolean;
  readonly quiet?: boolean;
  readonly dryRun?: boolean;
}

export interface Understood {
  readonly request: RunRequest;
  /** Where the repository and the prompt were taken from, for the user to see. */
  readonly repoFrom: 'argument' | '--repo' | 'current folder';
  /** What may have been meant otherwise, one sentence or two. */
  readonly doubt?: string;
}

/**
 * The first argument is the repository if it is an existing folder, or looks like a path; else it is prompt and the
 * repository is the current folder. Without a prompt a terminal is asked for one and a pipe is read.
 */
export async function understand(args: readonly string[], options: RunOptions): Promise<Understood> {
  const { repo, rest, repoFrom, doubt } = splitArguments(args, options);
  if (options.model === undefined) {
    throw new SandboxError('usage', 'No model is named.', {
      hint: 'Give --model PROVIDER/ID (its key comes from your environment) or --model scripted:FILE, or set PI_SANDBOX_MODEL.',
    });
  }
  const prompt = await choosePrompt(rest, options);
  const request = parseRunRequest(
    dropUndefined({
      repo: path.resolve(repo),
      prompt,
      model: options.model,
      profile: options.profile,
      policy: options.policy === undefined ? undefined : path.resolve(options.policy),
      workspace: options.workspace,
      include: options.include,
      exclude: options.exclude,
      trustProject: options.trustProject,
      tools: options.tools,
      excludeTools: options.excludeTools,
      thinking: options.thinking,
      baseUrl: options.baseUrl,
      network: options.network,
      allow: options.allow,
      image: options.image,
      runtime: options.runtime,
      timeoutMs: number('--timeout', options.timeout, timer, 'a duration such as 90s, 10m or 1h, up to 24 days'),
      idleTimeoutMs: number('--idle-timeout', options.idleTimeout, timer, 'a duration such as 90s or 10m'),
      bashTimeoutMs: number('--bash-timeout', options.bashTimeout, timer, 'a duration such as 90s or 10m'),
      memory: number('--memory', options.memory, parseSize, 'a size such as 512m or 2g'),
      disk: number('--disk', options.disk, parseSize, 'a size such as 512m or 2g'),
      cpus: number('--cpus', options.cpus, positive, 'a number above 0'),
      pids: number('--pids', options.pids, wholePositive, 'a whole number above 0'),
      maxTurns: number('--max-turns', options.maxTurns, wholePositive, 'a whole number above 0'),
      maxTokens: number('--max-tokens', options.maxTokens, parseCount, 'a whole number above 0, such as 200k or 1m'),
      maxUsd: number('--max-usd', options.maxUsd, parseUsd, 'an amount of US dollars such as 0.50, above 0'),
      acceptWeaker: options.acceptWeaker,
      keepOutputs: options.keepOutputs,
    }),
    optionName,
  );
  return { request, repoFrom, ...(doubt === undefined ? {} : { doubt }) };
}

function splitArguments(
  args: readonly string[],
  options: RunOptions,
): Pick<Understood, 'repoFrom' | 'doubt'> & { repo: string; rest: readonly string[] } {
  if (options.repo !== undefined) return { repo: options.repo, rest: args, repoFrom: '--repo' };
  const [first, ...rest] = args;
  if (first !== undefined && (isFolder(first) || looksLikePath(first))) {
    return { repo: first, rest, repoFrom: 'argument' };
  }
  const mayBeMeant = first !== undefined && rest.length > 0 && !/\s/.test(first);
  return {
    repo: '.',
    rest: args,
    repoFrom: 'current folder',
    ...(mayBeMeant
      ? { doubt: `"${first}" is no folder, so it is taken as part of the prompt. --repo DIR names a repository.` }
      : {}),
  };
}

function isFolder(text: string): boolean {
  return statSync(text, { throwIfNoEntry: false })?.isDirectory() === true;
}

/** `./missing` is a mistyped repository, not a prompt. */
function looksLikePath(text: string): boolean {
  return /^\.{0,2}\//.test(text) && !/\s/.test(text);
}

async function choosePrompt(rest: readonly string[], options: RunOptions): Promise<string> {
  const given = rest.join(' ');
  const fromStdin = options.promptFile === '-' || (options.promptFile === undefined && given.trim() === '');
  if (fromStdin && options.ask === 'stdin') {
    throw new SandboxError('usage', 'The prompt cannot come from standard input: --ask stdin reads answers there.', {
      hint: 'Give the prompt as an argument or with --prompt-file FILE.',
    });
  }
  if (options.promptFile !== undefined) {
    if (given !== '')
      throw new SandboxError('usage', 'A prompt is given twice: as an argument and with --prompt-file.');
    const { promptFile } = options;
    return required(promptFile === '-' ? await readPrompt(process.stdin) : await readPromptFile(promptFile));
  }
  // With a prompt given, standard input is never touched: it may be open and silent.
  if (given.trim() !== '') return given;
  if (!process.stdin.isTTY) return required(await readPrompt(process.stdin));
  return required((await askOrLeave('What should the agent do? ')) ?? '');
}

function required(prompt: string): string {
  if (prompt.trim() !== '') return prompt;
  throw new SandboxError('usage', 'There is no prompt.', {
    hint: 'Give it as an argument, with --prompt-file FILE, or on standard input.',
  });
}

function number(option: string, text: string | undefined, parse: (text: string) => number | undefined, what: string) {
  if (text === undefined) return undefined;
  const value = parse(text);
  if (value === undefined) throw new SandboxError('usage', `${option} ${text}: not ${what}.`);
  return value;
}

/** A duration that a timer can wait. */
function timer(text: string): number | undefined {
  const ms = parseDuration(text);
  return ms !== undefined && ms <= MAX_TIMER_MS ? ms : undefined;
}

function positive(text: string): number | undefined {
  const value = Number(text);
  return Number.isFinite(value) && value > 0 ? value : undefined;
}

function wholePositive(text: string): number | undefined {
  const value = positive(text);
  return Number.isSafeInteger(value) ? value : undefined;
}

function dropUndefined(value: Record<string, unknown>): Record<string, unknown> {
  return Object.fromEntries(Object.entries(value).filter(([, entry]) => entry !== undefined));
}
