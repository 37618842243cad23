import { createServer, type Server } from 'node:net';
import path from 'node:path';
import { onTestFinished } from 'vitest';
import { type CliOptions, type CliResult, type LiveCli, runCli, startCli, tempFolder } from './cli.ts';

export const NO_ENGINE = 'unix:///nonexistent/docker.sock';

/** A state folder of its own, and the command line with no engine in reach. */
export function offline(dockerHost = NO_ENGINE) {
  const home = tempFolder();
  const env = { XDG_STATE_HOME: home, DOCKER_HOST: dockerHost };
  // Outside any repository unless a test says otherwise.
  const withEnv = (options: CliOptions): CliOptions => ({ cwd: home, ...options, env: { ...env, ...options.env } });
  return {
    home,
    runs: path.join(home, 'pi-sandbox/runs'),
    run: (args: readonly string[], options: CliOptions = {}): Promise<CliResult> => runCli(args, withEnv(options)),
    start: (args: readonly string[], options: CliOptions = {}): LiveCli => startCli(args, withEnv(options)),
  };
}

/** A socket that accepts and says nothing: a controller that lives, or an engine that hangs. */
export async function silentSocket(file: string): Promise<Server> {
  const server = createServer((socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(file, resolve));
  onTestFinished(() => void server.close());
  return server;
}
