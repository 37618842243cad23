/** Lines of one path; `binary`: git does not count them. */
export type LineCount = { readonly added: number; readonly removed: number } | 'binary';

/** Reads `--numstat -z`. Keys are the paths' bytes as Latin-1. */
export async function parseNumstat(source: AsyncIterable<Buffer>): Promise<Map<string, LineCount>> {
  const counts = new Map<string, LineCount>();
  let rest = '';
  for await (const chunk of source) {
    const records = (rest + chunk.toString('latin1')).split('\0');
    rest = records.pop() ?? '';
    for (const record of records) {
      // A path may hold tabs and newlines.
      const [, added = '', removed = '', path = ''] = /^(\d+|-)\t(\d+|-)\t(.*)$/s.exec(record) ?? [];
      counts.set(path, added === '-' ? 'binary' : { added: Number(added), removed: Number(removed) });
    }
  }
  return counts;
}
