const BLANKS = ' \t\r';

/**
 * Values of a key in a file of git's configuration format, whatever its section; key in lower case, values without
 * quotes. Line by line and from both ends, because the file is hostile: patterns that try again from every place of it
 * take hours.
 */
export function configValues(text: string, key: string): string[] {
  return text.split('\n').flatMap((line) => {
    const at = line.indexOf('=');
    if (at < 0 || trimmed(line.slice(0, at)).toLowerCase() !== key) return [];
    return [unquoted(trimmed(line.slice(at + 1)))];
  });
}

/** As git trims. What `trim` takes besides may be a byte of a longer character here. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && BLANKS.includes(text.charAt(start))) start += 1;
  while (end > start && BLANKS.includes(text.charAt(end - 1))) end -= 1;
  return text.slice(start, end);
}

function unquoted(text: string): string {
  const start = text.startsWith('"') ? 1 : 0;
  const end = text.length - (text.length > start && text.endsWith('"') ? 1 : 0);
  return text.slice(start, end);
}
