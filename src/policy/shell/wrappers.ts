/** A program that runs the command that follows its own words. */
export interface Wrapper {
  /** Letters of the options that take a value: `n` for `-n 5`. */
  readonly values?: string;
  /** Long options that take a value as the next word. */
  readonly long?: readonly string[];
  /** Words of its own before the command. */
  readonly operands?: number;
  /** Whether `NAME=value` may stand before the command. */
  readonly assigns?: boolean;
  /** Whether it does more than run the command, so that a rule has to name it too where nothing is allowed by itself. */
  readonly opaque?: boolean;
  /** Letters of the options whose value is shell text: `c` for `-c TEXT`. */
  readonly code?: string;
  /** Whether the words after its own are joined to a shell text. */
  readonly joined?: boolean;
  /** First words that it must have to be a wrapper: `exec` of `npm exec`. */
  readonly after?: readonly string[];
}

const run: Wrapper = {};
const opaque: Wrapper = { opaque: true };

/** By name of the program; several ways to use one are tried in their order. */
export const WRAPPERS: Readonly<Record<string, readonly Wrapper[] | undefined>> = {
  __proto__: null as never,
  env: [{ values: 'uC', long: ['--unset', '--chdir', '--argv0'], assigns: true, code: 'S' }],
  command: [run],
  builtin: [run],
  exec: [{ values: 'a' }],
  nohup: [run],
  nice: [{ values: 'n', long: ['--adjustment'] }],
  ionice: [{ values: 'cn', long: ['--class', '--classdata'] }],
  chrt: [{ values: 'TPD', operands: 1 }],
  taskset: [{ operands: 1 }],
  time: [{ values: 'fo', long: ['--format', '--output'] }],
  timeout: [{ values: 'ks', long: ['--kill-after', '--signal'], operands: 1 }],
  gtimeout: [{ values: 'ks', operands: 1 }],
  setsid: [run],
  stdbuf: [{ values: 'ioe' }],
  unbuffer: [run],
  catchsegv: [run],
  rlwrap: [run],
  entr: [run],
  watch: [{ values: 'n', long: ['--interval'], joined: true }],
  busybox: [run],
  toybox: [run],
  coproc: [run],
  direnv: [{ operands: 1, after: ['exec'] }],
  'cross-env': [{ assigns: true }],
  dotenv: [{ values: 'ef' }],
  'xvfb-run': [{ values: 'enfps' }],
  'dbus-run-session': [run],
  sudo: [{ values: 'ugpCrtTUDRh', long: ['--user', '--group', '--chdir', '--host'], assigns: true, opaque: true }],
  doas: [{ values: 'uC', opaque: true }],
  pkexec: [{ long: ['--user'], opaque: true }],
  runuser: [{ values: 'ugG', code: 'c', opaque: true }],
  su: [{ values: 'gGs', code: 'c', opaque: true, operands: 1 }],
  fakeroot: [opaque],
  chroot: [{ operands: 1, opaque: true }],
  unshare: [{ values: 'SGRw', opaque: true }],
  nsenter: [{ values: 'tSGrw', opaque: true }],
  setpriv: [{ long: ['--reuid', '--regid', '--groups', '--securebits', '--bounding-set'], opaque: true }],
  prlimit: [opaque],
  flock: [{ values: 'wE', operands: 1, code: 'c' }],
  script: [{ values: 'ITOBEmo', code: 'c', operands: 99 }],
  strace: [{ values: 'eopPsSuaIXO', opaque: true }],
  ltrace: [{ values: 'eopsulanFA', opaque: true }],
  valgrind: [opaque],
  npx: [{ values: 'pw', long: ['--package'], code: 'c', opaque: true }],
  bunx: [{ values: 'p', opaque: true }],
  pnpx: [opaque],
  corepack: [opaque],
  uvx: [{ values: 'p', long: ['--from', '--with', '--python'], opaque: true }],
  npm: [
    { values: 'pw', long: ['--package', '--workspace', '--prefix'], code: 'c', opaque: true, after: ['exec', 'x'] },
  ],
  pnpm: [{ values: 'CF', long: ['--dir', '--filter'], code: 'c', opaque: true, after: ['exec', 'dlx'] }],
  yarn: [{ long: ['--cwd'], opaque: true, after: ['exec', 'dlx'] }],
  bun: [{ opaque: true, after: ['x'] }],
  uv: [{ values: 'p', long: ['--with', '--python', '--project', '--directory'], opaque: true, after: ['run'] }],
  poetry: [{ values: 'CP', opaque: true, after: ['run'] }],
  pipenv: [{ opaque: true, after: ['run'] }],
  bundle: [{ opaque: true, after: ['exec'] }],
  mise: [{ opaque: true, after: ['exec', 'x'] }],
  conda: [{ values: 'np', opaque: true, after: ['run'] }],
  // "git rebase --exec" and aliases that are set for one command are apart.
  git: [{ values: 'Cc', opaque: true, joined: true, after: ['submodule foreach', 'bisect run'] }],
  tmux: [
    { values: 'cefnstFxyL', opaque: true, joined: true, after: ['new', 'new-session', 'new-window', 'run-shell'] },
  ],
};
