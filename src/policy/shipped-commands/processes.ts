import type { CommandRule } from '../../protocol/policy.ts';
import { FORK_BOMB } from '../shell/fork-bomb.ts';

const MEMORY = ['mem', 'environ', 'maps', 'fd/**', 'root/**'].map((name) => `/proc/*/${name}`);
const signals = '-9|-15|-2|-3|-KILL|-TERM|-INT|-HUP|-SIGKILL|-SIGTERM|-SIGINT|-STOP|-s|-n|--signal';
const endsAgent = 'It would end the agent itself along with the rest; end a single process by its id.';

/** Processes that are not the task's own. */
export const PROCESS_RULES: readonly CommandRule[] = [
  { id: 'kill-all', verdict: 'deny', reason: endsAgent, programs: ['kill'], options: ['-1', signals] },
  { id: 'kill-group', verdict: 'deny', reason: endsAgent, programs: ['kill'], operands: ['-1', '1', '-0'] },
  { id: 'kill-parent', verdict: 'deny', reason: endsAgent, programs: ['kill'], text: '\\$\\{?PPID\\b' },
  {
    id: 'kill-found',
    verdict: 'deny',
    reason: 'The agent and its guard are processes of this name; end the one that is meant by its id.',
    programs: ['kill'],
    fedBy: ['pgrep', 'pidof'],
    text: '\\b(pgrep|pidof)\\s+(-\\w+\\s+)*(pi|node|nodejs|bash|sh|tini)[\\s)|`;]',
  },
  { id: 'kill-five', verdict: 'deny', reason: endsAgent, programs: ['killall5', 'skill', 'slay'] },
  {
    id: 'kill-by-name',
    verdict: 'deny',
    reason: 'The agent and its guard are processes of this name; end the one that is meant by its id.',
    programs: ['pkill', 'killall'],
    operands: [
      'pi',
      'node',
      'nodejs',
      'tini',
      'bash',
      'sh',
      '.',
      '\\*',
      '.\\*',
      '*bridge*',
      '*guard*',
      '**pi-coding**',
      '**pi-sandbox**',
    ],
  },
  {
    id: 'kill-by-user',
    verdict: 'deny',
    reason: endsAgent,
    programs: ['pkill', 'killall'],
    options: ['-u|-U|--euid|--uid|--user|-v|--inverse'],
  },
  {
    id: 'fork-bomb',
    verdict: 'deny',
    reason: 'A function that starts itself again and again uses up all processes of this sandbox.',
    programs: [FORK_BOMB],
  },
  {
    id: 'foreign-memory',
    verdict: 'deny',
    reason: 'It reads or writes the memory, the environment or the open files of another process.',
    paths: [...MEMORY, '/proc/kcore'],
    except: ['/proc/self/**', '/proc/thread-self/**'],
  },
  {
    id: 'foreign-memory-by-script',
    verdict: 'ask',
    reason: 'The text of this script names the memory or the environment of a process.',
    programs: ['python*', 'node', 'perl', 'ruby', 'php', 'awk', 'gawk', 'mawk', 'lua*', 'deno', 'bun'],
    text: '/proc/[^/\\s]{1,40}/(mem|environ)\\b',
  },
  {
    id: 'attach-debugger',
    verdict: 'deny',
    reason: 'It attaches to a process that runs already; start the program under the debugger instead.',
    programs: ['gdb', 'lldb', 'strace', 'ltrace', 'perf', 'py-spy', 'rr', 'reptyr', 'bpftrace'],
    options: ['-p|-p*|--pid|--attach|--pid=*'],
  },
  {
    id: 'dump-process',
    verdict: 'deny',
    reason: 'It copies the memory of a process that runs already.',
    programs: ['gcore', 'procdump', 'reptyr'],
  },
  {
    id: 'preload',
    verdict: 'ask',
    reason: 'It loads code into every program that follows, the agent’s own tools included.',
    sets: [
      'LD_PRELOAD',
      'LD_AUDIT',
      'BASH_ENV',
      'PROMPT_COMMAND',
      'PYTHONSTARTUP',
      'PERL5OPT',
      'DYLD_INSERT_LIBRARIES',
    ],
  },
];
