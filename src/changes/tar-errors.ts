import { MAX_TAR_ERRORS } from './limits.ts';

/** How the command that wrote the archive ended. */
export interface ArchiveExit {
  readonly exitCode: number;
  /** What it printed on standard error, in the C locale. */
  readonly stderr: string;
}

export interface TarErrors {
  /** Paths that are not in the archive, or not as they are; bytes as Latin-1. */
  readonly unreadable: ReadonlySet<string>;
  readonly sockets: ReadonlySet<string>;
  /** Whether every complaint is about a path that it names. */
  readonly understood: boolean;
}

const LAST_LINE = 'Exiting with failure status due to previous errors';

/**
 * Which paths GNU tar complains about. It escapes names so that a colon or a line feed in one cannot be taken for the
 * end of it, but whoever can write to its standard error can say anything: a path named here is refused, never kept.
 */
export function readTarErrors({ stderr }: ArchiveExit): TarErrors {
  const unreadable = new Set<string>();
  const sockets = new Set<string>();
  const lines = stderr.split('\n').filter((line) => line !== '');
  let understood = lines.length <= MAX_TAR_ERRORS;
  for (const line of lines.slice(0, MAX_TAR_ERRORS)) {
    const match = /^(?:\/usr\/bin\/|\/bin\/)?tar: \.\/((?:[^\\:]|\\.)+): (.+)$/.exec(line);
    const name = match?.[1] === undefined ? undefined : unescaped(match[1]);
    if (name === undefined) understood &&= line.endsWith(`tar: ${LAST_LINE}`);
    else (match?.[2] === 'socket ignored' ? sockets : unreadable).add(name);
  }
  return { unreadable, sockets, understood };
}

const LETTERS: Readonly<Record<string, string>> = { a: '\x07', b: '\b', f: '\f', n: '\n', r: '\r', t: '\t', v: '\v' };

/** The bytes of a name that tar escaped, as Latin-1; undefined when it is not tar's escaping. */
function unescaped(text: string): string | undefined {
  if (!/^[\x20-\x7e]*$/.test(text)) return undefined;
  const name = text.replace(/\\([0-3][0-7]{2}|.)/g, (_, code: string) =>
    code.length === 3 ? String.fromCharCode(Number.parseInt(code, 8)) : (LETTERS[code] ?? code),
  );
  return name.replace(/\/$/, '');
}
