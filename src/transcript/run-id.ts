const ID = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})-[0-9a-f]{6}$/;

/** Random bytes in an id. */
export const RUN_ID_RANDOM_BYTES = 3;

/** `20261130T021610-3f9a2c`: UTC time to the second, then three random bytes. Sorts by time as text. */
export function newRunId(now: Date, random: Buffer): string {
  const time = now
    .toISOString()
    .replace(/\.\d+Z$/, '')
    .replaceAll(/[-:]/g, '');
  return `${time}-${random.subarray(0, RUN_ID_RANDOM_BYTES).toString('hex').padStart(6, '0')}`;
}

export function isRunId(text: string): boolean {
  return ID.test(text);
}

/** When the run began, ISO 8601 in UTC; undefined when the text is no run id. */
export function timeOfRunId(id: string): string | undefined {
  return ID.test(id) ? id.replace(ID, '$1-$2-$3T$4:$5:$6Z') : undefined;
}
