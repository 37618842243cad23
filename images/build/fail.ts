/** Ends a build step with one line that the host shows to the user. */
export function fail(message: string): never {
  process.stderr.write(`pi-sandbox: ${message}\n`);
  process.exit(1);
}
