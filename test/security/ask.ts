import type { Probe } from './probes.ts';

/** Longest time for one probe, seconds; one that takes longer says TIMEOUT, which no expectation matches. */
const PROBE_SECONDS = 20;
const MARK = '@@probe ';

/** Host name that only a container with a hosts file of the test's making can resolve. */
export const PROBE_NAME = 'probe.test';

/** One bash script that asks all questions; `port` is the server of the test. Output and errors of a probe go together. */
export function scriptOf(probes: readonly Probe[], port: number): string {
  const asked = probes.map(({ id, script }) => {
    const encoded = Buffer.from(script).toString('base64');
    return `echo '${MARK}${id}'; timeout ${PROBE_SECONDS} bash -c "$(echo ${encoded} | base64 -d)" 2>&1 </dev/null; [ $? = 124 ] && echo TIMEOUT`;
  });
  return `export PROBE_PORT=${port} PROBE_NAME=${PROBE_NAME}\n${asked.join('\n')}\necho '${MARK}end'`;
}

/** Answers by probe. Throws when the script did not get to its end. */
export function answersOf(output: string): Map<string, string> {
  const parts = output.split(MARK).slice(1);
  if (parts.at(-1)?.trim() !== 'end') throw new Error(`the probes did not come to their end: ${output.slice(-500)}`);
  return new Map(
    parts.slice(0, -1).map((part) => [part.slice(0, part.indexOf('\n')), part.slice(part.indexOf('\n') + 1).trim()]),
  );
}
