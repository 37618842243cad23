/** What pi needs in its environment and its commands must not see or inherit. */
const REMOVED = ['PI_CODING_AGENT_DIR', 'NODE_COMPILE_CACHE', 'JITI_FS_CACHE', 'NODE_OPTIONS'];
const REMOVED_PREFIX = 'PI_SANDBOX_';

/** The environment of commands: without pi's own settings, with a temp folder apart from pi's, and with what is theirs alone. */
export function commandEnv(env: NodeJS.ProcessEnv, own: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const kept = Object.entries(env).filter(([name]) => !REMOVED.includes(name) && !name.startsWith(REMOVED_PREFIX));
  return { ...Object.fromEntries(kept), ...own, TMPDIR: '/tmp' };
}
