import type { Hunk } from './line-diff.ts';

/** `1.2.3`, `v2.0-rc.1`, `4.x`. */
const VERSION = /(?<![\w.])v?\d{1,12}(?:\.(?:\d{1,12}|[x*])){1,3}(?:[-+][0-9A-Za-z.+-]{1,64})?(?![\w.])/g;
/** Numbers in an address are no versions. */
const ADDRESS = /:\/\/|\b\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3}\b/;

/** Whether more than version numbers and empty lines changed in this place. */
export function beyondVersions({ removed, added }: Hunk): boolean {
  const [old, now] = [withoutVersions(removed), withoutVersions(added)];
  return old === undefined || old !== now;
}

function withoutVersions(lines: Buffer): string | undefined {
  const text = lines.toString('latin1');
  if (ADDRESS.test(text)) return undefined;
  return text.replace(VERSION, '#').replace(/\r/g, '').replace(/^\n+/gm, '');
}
