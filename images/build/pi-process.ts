import { spawn } from 'node:child_process';
import { chownSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { GUARD_ENV, GUEST, type GuardLimits, PI_NODE_FLAGS } from '../../src/protocol/guest.ts';
import { COMMAND_FOLDERS } from './find-command.ts';
import { BIN_FOLDER } from './places.ts';

/** Longest life of a pi that the build starts, milliseconds. */
const DEADLINE_MS = 120_000;
export const TOOLS = ['read', 'bash', 'edit', 'write', 'grep', 'find', 'ls'];

const LIMITS: GuardLimits = {
  bashTimeoutSeconds: 60,
  spillBytesPerCall: 8_000_000,
  spillBytesPerRun: 40_000_000,
  spillReserveBytes: 4_000_000,
  gateTimeoutMs: 10_000,
};

export type PiEvent = Record<string, unknown>;

/**
 * Runs pi as a user of the image with the flags of a real run, sends `commands`, and ends its input after the event
 * for which `last` holds. Resolves with all events when pi left with 0; rejects with what it said otherwise.
 */
export function runPi(options: {
  uid: number;
  compileCache: string;
  commands: readonly unknown[];
  last: (event: PiEvent) => boolean;
  limits?: Partial<GuardLimits>;
}): Promise<PiEvent[]> {
  const scratch = mkdtempSync('/tmp/pi-sandbox-check-');
  const folders = { workspace: join(scratch, 'workspace'), home: join(scratch, 'home'), spill: join(scratch, 'spill') };
  for (const folder of [scratch, ...Object.values(folders)]) {
    mkdirSync(folder, { recursive: true });
    chownSync(folder, options.uid, options.uid);
  }
  const flags = ['--mode', 'rpc', '--no-session', '-na', '-ne', '-ns', '-np', '--no-themes', '-nc', '--no-mcp'];
  const model = ['--model', 'host/check', '--api-key', 'placeholder', '--tools', TOOLS.join(',')];
  const pi = spawn(GUEST.node, [...PI_NODE_FLAGS, GUEST.piCli, ...flags, ...model, '-e', GUEST.guard], {
    cwd: folders.workspace,
    uid: options.uid,
    gid: options.uid,
    timeout: DEADLINE_MS,
    killSignal: 'SIGKILL',
    env: {
      PATH: [...COMMAND_FOLDERS, BIN_FOLDER].join(':'),
      HOME: folders.home,
      TMPDIR: folders.spill,
      LANG: 'C.UTF-8',
      PI_OFFLINE: '1',
      PI_TELEMETRY: '0',
      JITI_FS_CACHE: 'false',
      NODE_COMPILE_CACHE: options.compileCache,
      PI_CODING_AGENT_DIR: GUEST.agentDir,
      [GUARD_ENV.model]: JSON.stringify({
        id: 'check',
        name: 'check',
        reasoning: false,
        input: ['text', 'image'],
        contextWindow: 128_000,
        maxTokens: 8_192,
        cost: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
      }),
      [GUARD_ENV.limits]: JSON.stringify({ ...LIMITS, ...options.limits }),
    },
  });
  const events: PiEvent[] = [];
  let errors = '';
  pi.stderr.setEncoding('utf8').on('data', (text: string) => {
    errors += text;
  });
  createInterface({ input: pi.stdout }).on('line', (line) => {
    const event = JSON.parse(line) as PiEvent;
    events.push(event);
    if (options.last(event)) pi.stdin.end();
  });
  pi.stdin.on('error', () => undefined);
  for (const command of options.commands) pi.stdin.write(`${JSON.stringify(command)}\n`);
  return new Promise((resolve, reject) => {
    pi.on('error', reject);
    pi.on('close', (code, signal) => {
      rmSync(scratch, { recursive: true, force: true });
      if (code === 0 && events.some(options.last)) resolve(events);
      else reject(new Error(`pi left with ${code ?? signal}: ${errors.trim() || 'no answer'}`));
    });
  });
}
