/**
 * The start of a sanitised line that fits into so many columns. Whatever is not ASCII counts as two, so a line that is
 * redrawn in place never wraps.
 */
export function fitColumns(line: string, columns: number): string {
  let used = 0;
  let kept = '';
  for (const char of line.replaceAll('\t', '  ')) {
    used += char < '\u007f' ? 1 : 2;
    if (used > columns) return kept;
    kept += char;
  }
  return kept;
}
