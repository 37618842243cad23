/** Tools of pi that start no program of the agent's choice. */
const FILE_TOOLS: ReadonlySet<string> = new Set(['read', 'write', 'edit', 'grep', 'find', 'ls']);
const SHELLS: ReadonlySet<string> = new Set(['bash', 'powershell']);

/** What the guard is worth in a run with these tools, and so many calls that were carried out past the gate. */
export function worthOfGuard(tools: readonly string[], bypassed: number): string {
  const seen = bypassed === 0 ? '' : 'The guard was passed over in this run. ';
  if (tools.some((tool) => SHELLS.has(tool))) {
    return `${seen}The guard is advice once bash is allowed; the container is the boundary.`;
  }
  const others = tools.filter((tool) => !FILE_TOOLS.has(tool));
  if (others.length > 0) {
    return `${seen}The guard is advice where ${others[0]} may run code of the agent, as once bash is allowed; the container is the boundary.`;
  }
  return `${seen}No tool of this run starts a program, so the guard holds for as long as pi itself does; the container is the boundary.`;
}
