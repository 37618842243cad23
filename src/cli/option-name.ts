/** How a field of the run request is given on the command line: `/timeoutMs` as `--timeout`, `/include/0` as `--include`. */
export function optionName(pointer: string): string {
  const field = pointer.split('/')[1] ?? '';
  if (field === 'repo' || field === 'prompt') return `the ${field === 'repo' ? 'repository' : 'prompt'}`;
  const words = field.replace(/Ms$/, '').replaceAll(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  return `--${words}`;
}
