import { spawn } from 'node:child_process';
import { GUEST } from '../../src/protocol/guest.ts';

/** Time that pi gets to start in `barePi`, seconds. */
const START_SECONDS = 8;

/**
 * The image's pi as anybody would start it in a container, for positive controls: without the product, without trust in
 * the project, in a folder that `prepare` makes. Then `look` runs, and what it prints is the result, after a line with pi's
 * exit code: 137 when it had not started in time.
 */
export async function barePi(image: string, parts: { prepare: string; args?: string; look: string }): Promise<string> {
  const script = `
    export PI_OFFLINE=1 PI_CODING_AGENT_DIR=/tmp/agent HOME=/tmp/agent
    mkdir -p /tmp/agent /tmp/work && cd /tmp/work
    ${parts.prepare}
    { echo '{"id":"1","type":"get_state"}'; sleep 2; } |
      timeout -s KILL ${START_SECONDS} ${GUEST.node} ${GUEST.piCli} --mode rpc -na -ne -ns -np --no-themes --no-mcp ${parts.args ?? ''} >/dev/null 2>&1
    echo "exit $?"
    ${parts.look}`;
  const options = ['--rm', '-i', '--network', 'none', '--pull', 'never', '--entrypoint', '/bin/bash'];
  const child = spawn('docker', ['run', ...options, image, '-s'], { stdio: ['pipe', 'pipe', 'inherit'] });
  const said: Buffer[] = [];
  child.stdout.on('data', (chunk: Buffer) => said.push(chunk));
  child.stdin.end(script);
  await new Promise((resolve, reject) => child.once('error', reject).once('close', resolve));
  return Buffer.concat(said).toString();
}
