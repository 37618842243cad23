import { SandboxError } from '../errors.ts';
import { formatBytes } from '../lib/format.ts';
import type { WorkspaceMode } from '../protocol/plan.ts';
import type { Policy } from '../protocol/policy.ts';
import type { ContextFile, PiFolder } from '../protocol/project-files.ts';

/** Paths that one notice names. */
const MAX_NAMED = 12;

/** What of the repository's own files for agents takes effect. */
export interface ProjectFilesChoice {
  /** Whether pi looks for AGENTS.md and its relatives. */
  readonly contextFiles: boolean;
  /** Whether `.pi` and `.agents` take effect. False where there is neither, so that pi starts as ever. */
  readonly trusted: boolean;
  /** Folders that a mount covers with empty ones. */
  readonly covered: readonly string[];
  readonly notices: readonly string[];
}

export interface ProjectFilesFacts {
  readonly policy: Policy;
  readonly repository: { readonly contextFiles: readonly ContextFile[]; readonly piFolders: readonly PiFolder[] };
}

/** Decides it. Throws SandboxError `usage` or `repository`. */
export function chooseProjectFiles({ policy, repository }: ProjectFilesFacts, mode: WorkspaceMode): ProjectFilesChoice {
  const { piFolders } = repository;
  const context = chooseContextFiles(policy, repository.contextFiles, mode);
  if (policy.projectFiles.trust) {
    refuseTriage(policy);
    refuseServers(policy);
    const { trusted, notices } = trust(piFolders, mode);
    return { ...context, trusted, covered: [], notices: [...context.notices, ...notices] };
  }
  if (mode === 'mount') refuseLinks(piFolders);
  // A mount shows a file or a pipe of such a name, which pi takes for none of its folders.
  const hidden = piFolders.filter(({ kind }) => mode === 'copy' || kind === 'folder');
  const covered = mode === 'mount' ? hidden.map(({ name }) => name) : [];
  return { ...context, trusted: false, covered, notices: [...context.notices, ...hiddenNotice(hidden, mode)] };
}

function chooseContextFiles(policy: Policy, files: readonly ContextFile[], mode: WorkspaceMode) {
  const { contextFiles, maxContextFileBytes } = policy.projectFiles;
  const seen = files.filter(({ enters, isExact }) => mode === 'mount' || (enters && isExact));
  const loaded = seen.findIndex(({ isExact, isLink }) => isExact && !isLink);
  // Without any there is nothing to look for, and pi starts faster.
  if (!contextFiles || seen.length === 0) return { contextFiles: false, notices: [] };
  // pi looks at nothing behind the file that it loads.
  const refused = seen
    .slice(0, loaded === -1 ? undefined : loaded + 1)
    .find(({ bytes, isLink }) => isLink || bytes > maxContextFileBytes);
  if (refused === undefined) return { contextFiles: true, notices: [] };
  const why = refused.isLink
    ? 'is a link, and links are not followed'
    : `has ${formatBytes(refused.bytes)}, more than ${formatBytes(maxContextFileBytes)}`;
  return { contextFiles: false, notices: [`${refused.path} ${why}: no context file is given to the model.`] };
}

function refuseTriage({ profile, origins }: Policy): void {
  if (profile !== 'triage') return;
  const origin = origins['/projectFiles/trust'] ?? '';
  const name = origin.endsWith('--trust-project') ? '--trust-project' : `projectFiles.trust in ${origin}`;
  throw new SandboxError(
    'usage',
    `${name}: the profile triage is for repositories that are not trusted, and nothing of them may run.`,
    { hint: `Use --profile review, or leave ${name} out.` },
  );
}

/** Of two servers of one name pi takes the one that the project names. */
function refuseServers({ mcp }: Policy): void {
  const [name] = Object.keys(mcp.servers);
  if (name === undefined) return;
  throw new SandboxError(
    'usage',
    `A trusted project may bring MCP servers of its own, also in the place of "${name}": that and mcp.servers do not go together.`,
    { hint: 'Leave the trust out, or the tools of the servers (--exclude-tools "mcp__*").' },
  );
}

function trust(found: readonly PiFolder[], mode: WorkspaceMode): { trusted: boolean; notices: string[] } {
  const folders = found.filter(
    ({ name, kind }) => kind !== 'other' && (mode === 'mount' || name === name.toLowerCase()),
  );
  if (folders.length === 0) {
    return {
      trusted: false,
      notices: ['The project is trusted, which has no effect: there is no .pi and no .agents in it.'],
    };
  }
  const names = (entering: boolean): string[] =>
    folders.filter(({ enters }) => (enters || mode === 'mount') === entering).map(({ name }) => name);
  const [taken, missing] = [names(true), names(false)];
  return {
    trusted: taken.length > 0,
    notices: [
      ...(taken.length === 0 ? [] : [trustedNotice(taken)]),
      ...missing.map(
        (name) =>
          `The project is trusted, but its ${name} stays out: git ignores it (--include ${name} brings it), or --exclude names it.`,
      ),
    ],
  };
}

function trustedNotice(names: readonly string[]): string {
  return (
    `The project is trusted: what is in its ${names.join(' and ')} takes effect inside the sandbox. Extensions run before ` +
    'the first prompt, act without any tool call, and can change pi and the guard in it; the container is the boundary. ' +
    'MCP servers stay off.'
  );
}

/** pi would go where the link leads, and nothing can be put over a link. */
function refuseLinks(folders: readonly PiFolder[]): void {
  const link = folders.find(({ kind }) => kind === 'link');
  if (link === undefined) return;
  throw new SandboxError(
    'repository',
    `${link.name} is a link, which cannot be covered in a mount: pi would follow it, although the project is not trusted.`,
    { hint: 'Use --workspace copy, which leaves it out.' },
  );
}

function hiddenNotice(folders: readonly PiFolder[], mode: WorkspaceMode): string[] {
  if (folders.length === 0) return [];
  const held = folders.flatMap(({ name, kind, holds, holdsMore }) => {
    if (holds.length > 0) return holdsMore ? [...holds, `more in ${name}`] : holds;
    return [name + (kind === 'folder' ? '/' : '')];
  });
  const named = held.slice(0, MAX_NAMED).join(', ') + (held.length > MAX_NAMED ? ', and more' : '');
  const how = mode === 'copy' ? 'Left out of the copy' : 'Covered in the mount';
  return [`${how}, files of pi (with --trust-project they take effect inside, and can run code there): ${named}.`];
}
