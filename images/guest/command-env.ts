/** What pi needs in its environment and its commands must not see or inherit. */
const REMOVED = ['PI_CODING_AGENT_DIR', 'NODE_COMPILE_CACHE', 'JITI_FS_CACHE', 'NODE_OPTIONS'];
const REMOVED_PREFIX = 'PI_SANDBOX_';

/** The environment of commands: without pi's own settings, and with a temp folder apart from pi's. */
export function commandEnv(env: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !REMOVED.includes(name) && !name.startsWith(REMOVED_PREFIX));
  return { ...Object.fromEntries(kept), TMPDIR: '/tmp' };
}
