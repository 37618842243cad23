/** Width of what has no terminal, columns. */
const DEFAULT_COLUMNS = 100;

/** Columns of standard output. */
export function outputColumns(): number {
  return process.stdout.columns || DEFAULT_COLUMNS;
}

/**
 * Text behind `lead` in lines of at most so many columns, broken between words; all but the first begin with `indent`
 * blanks. A word that is longer than a line is left whole, so that paths can be copied.
 */
export function wrap(lead: string, text: string, columns: number, indent: number): string {
  const [first = '', ...words] = text.split(' ');
  const lines = [lead + first];
  for (const word of words) {
    const longer = `${lines.at(-1)} ${word}`;
    if (longer.length > columns) lines.push(' '.repeat(indent) + word);
    else lines[lines.length - 1] = longer;
  }
  return lines.join('\n');
}
