/** Cuts a stream of bytes into lines: feed it chunks, it gives back the lines that are complete. Only LF ends a line. */
export function lineSplitter(): (chunk: Buffer) => string[] {
  let rest: Buffer[] = [];
  return (chunk) => {
    const end = chunk.lastIndexOf(0x0a);
    if (end < 0) {
      rest.push(chunk);
      return [];
    }
    const whole = Buffer.concat([...rest, chunk.subarray(0, end)]);
    rest = [chunk.subarray(end + 1)];
    return whole.toString('utf8').split('\n');
  };
}
