import type { Command } from 'commander';
import { SandboxError } from '../errors.ts';
import { environment } from './environment.ts';

const collect = (value: string, previous: string[] = []): string[] => [...previous, value];

/** For an option of which a second one would silently take the place of the first. */
export function once(name: string): (value: string, previous?: string) => string {
  return (value, previous) => {
    if (previous === undefined) return value;
    throw new SandboxError('usage', `${name} is given twice: ${previous} and ${value}.`, { hint: 'Give it once.' });
  };
}

/** Arguments and options of `run`. */
export function addRunOptions(command: Command): Command {
  return command
    .argument('[repo]', 'folder; without one, the current folder')
    .argument('[prompt...]', 'what to do; without one, a terminal is asked and a pipe is read')
    .option('--repo <dir>', 'the repository, so that the first argument is prompt')
    .option('--prompt-file <file>', 'read the prompt from a file, - for standard input')
    .option('--profile <name>', 'edit, review or triage (edit)')
    .option('--policy <file>', 'a policy of yours, outside the repository', once('--policy'))
    .option('--model <id>', 'provider/model, or scripted:FILE', environment.env('PI_SANDBOX_MODEL'))
    .option('--thinking <level>', 'off, minimal, low, medium, high, xhigh or max')
    .option('--base-url <url>', "endpoint in place of the provider's own")
    .option('--image <name>', 'an image made with "image build"')
    .option('--workspace <mode>', 'copy or mount (read-only)')
    .option('--include <glob>', 'bring an ignored path along (repeatable)', collect)
    .option('--exclude <glob>', 'leave a path out (repeatable)', collect)
    .option('--trust-project', 'let its .pi and .agents take effect, inside; extensions are code')
    .option('--tools <list>', 'tools of pi: a list, or +name,-name changes')
    .option('--exclude-tools <list>', 'tools to leave out, patterns allowed')
    .option('--allow <host[:port]>', 'let programs inside reach this host, through a proxy (repeatable)', collect)
    .option('--network <mode>', 'none, open (any public address) or learn (say what would be needed)')
    .option('--timeout <duration>', 'end the run after this time (1h)')
    .option('--idle-timeout <duration>', 'end the run when nothing happens for this time (20m)')
    .option('--bash-timeout <duration>', 'for commands that name none (5m)')
    .option('--max-turns <n>', 'model calls (200)')
    .option('--max-tokens <n>', 'output tokens of all calls, 200k and 1m are understood (1m)')
    .option('--max-usd <amount>', 'money for all model calls, at list price (no limit)')
    .option('--memory <size>', 'memory of the container')
    .option('--cpus <n>', 'processors (2)')
    .option('--pids <n>', 'processes (512)')
    .option('--disk <size>', 'size of the workspace')
    .option('--runtime <name>', 'container runtime, for example runsc')
    .option('--accept-weaker <field>', 'start although this field is not as planned (repeatable)', collect)
    .option('--keep-outputs', 'keep full bash outputs in the run folder')
    .option('--ask <who>', 'who answers where the policy asks: terminal, stdin (with --json) or never')
    .option('--json', 'records as JSON lines on standard output')
    .option('--quiet', 'only the answer, how the run ended and what went wrong')
    .option('--dry-run', 'print the plan and start nothing');
}
