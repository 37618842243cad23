/** Where a secret is in a text, as indexes. */
export interface Finding {
  readonly start: number;
  readonly end: number;
  /** Where what announces it begins. */
  readonly at: number;
  /** What stands in its place: `[redacted: ID]`. */
  readonly id: string;
  /** Name of the user's own secret, where it is one. */
  readonly own?: string;
  /** Of several that claim the same text the one with the lowest rank names it. */
  readonly rank: number;
}

/** Puts findings in order and makes one of those that overlap. */
export function merged(findings: readonly Finding[]): Finding[] {
  if (findings.length < 2) return [...findings];
  const sorted = [...findings].sort((a, b) => a.start - b.start || b.end - a.end || a.rank - b.rank);
  const result: Finding[] = [];
  for (const finding of sorted) {
    const last = result.at(-1);
    if (last === undefined || finding.start >= last.end) result.push(finding);
    else {
      const named = finding.rank < last.rank ? finding : last;
      const at = Math.min(last.at, finding.at);
      result[result.length - 1] = { ...named, at, start: last.start, end: Math.max(last.end, finding.end) };
    }
  }
  return result;
}

export function replaced(text: string, findings: readonly Finding[]): string {
  let result = '';
  let at = 0;
  for (const { start, end, id } of findings) {
    result += text.slice(at, start) + replacement(id);
    at = end;
  }
  return result + text.slice(at);
}

/** The same whatever it stands for, so that it tells nothing and caches of a conversation stay good. */
export function replacement(id: string): string {
  return `[redacted: ${id}]`;
}
