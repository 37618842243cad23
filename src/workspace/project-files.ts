import type { Stats } from 'node:fs';
import { joinPath, showPath } from '../lib/path-bytes.ts';
import type { ContextFile, PiFolder } from '../protocol/project-files.ts';
import { PROJECT_FILES_LISTED } from './limits.ts';
import { look, readNames } from './read-folder.ts';
import type { Entry } from './selection.ts';

/** Names under which pi looks for instructions in its folder, in its order: the first regular file is loaded, whole. */
const CONTEXT_FILES = ['AGENTS.override.md', 'AGENTS.md', 'AGENTS.MD', 'CLAUDE.md', 'CLAUDE.MD'] as const;

/** Read by pi from its working folder, in part whatever its trust flags say. */
const PI_FOLDERS: ReadonlySet<string> = new Set(['.pi', '.agents']);

/** Whether a name at the root would give pi instructions: wider than pi's own list, so that a later pi finds no other. */
export function isContextFile(name: string): boolean {
  return /^(agents.*|claude.*)\.md$/i.test(name);
}

export function isPiFolder(name: string): boolean {
  return PI_FOLDERS.has(name.toLowerCase());
}

export interface ProjectFiles {
  /** Files and links, in pi's order. */
  readonly contextFiles: readonly ContextFile[];
  readonly piFolders: readonly PiFolder[];
}

/** What lies at the root for pi in any case of its names, whether or not it is selected. Links are not followed. */
export function findProjectFiles(root: string, entries: readonly Entry[]): ProjectFiles {
  const folder = Buffer.from(root);
  const names = readNames(folder);
  const entering = new Set(
    entries.filter(({ path }) => !path.includes(0x2f)).map(({ path }) => path.toString('latin1')),
  );
  const found = (Array.isArray(names) ? names : []).flatMap((bytes) => {
    const name = bytes.toString('latin1');
    const stat = isContextFile(name) || isPiFolder(name) ? look(folder, bytes).stat : undefined;
    return stat === undefined ? [] : [{ name, stat, enters: entering.has(name) }];
  });
  return {
    contextFiles: contextFilesOf(found),
    piFolders: found
      .filter(({ name }) => isPiFolder(name))
      .map(({ name, stat, enters }) => ({ name, kind: kindOf(stat), ...heldBy(folder, name, stat), enters })),
  };
}

interface Found {
  readonly name: string;
  readonly stat: Stats;
  readonly enters: boolean;
}

function contextFilesOf(found: readonly Found[]): ContextFile[] {
  return found
    .filter(({ stat }) => stat.isFile() || stat.isSymbolicLink())
    .map(({ name, stat, enters }) => ({ place: placeOf(name), name, stat, enters }))
    .filter(({ place }) => place.index !== -1)
    .sort((a, b) => a.place.index - b.place.index || Number(b.place.isExact) - Number(a.place.isExact))
    .map(({ place: { isExact }, name, stat, enters }) => {
      const isLink = stat.isSymbolicLink();
      return { path: name, bytes: isLink ? 0 : stat.size, isLink, isExact, enters };
    });
}

/** Where pi comes upon a name. One in another case counts as the first of pi's names that it equals. */
function placeOf(name: string): { index: number; isExact: boolean } {
  const exact = (CONTEXT_FILES as readonly string[]).indexOf(name);
  if (exact !== -1) return { index: exact, isExact: true };
  const index = CONTEXT_FILES.findIndex((candidate) => candidate.toLowerCase() === name.toLowerCase());
  return { index, isExact: false };
}

/** What pi would find: it looks into folders such as `.pi/extensions`, where each file or folder is a thing of its own. */
function heldBy(root: Buffer, name: string, stat: Stats): Pick<PiFolder, 'holds' | 'holdsMore'> {
  const paths = stat.isDirectory() ? pathsIn(root, Buffer.from(name, 'latin1'), 2) : [];
  return { holds: paths.slice(0, PROJECT_FILES_LISTED), holdsMore: paths.length > PROJECT_FILES_LISTED };
}

/** At least one more than are listed, where there are so many. */
function pathsIn(root: Buffer, folder: Buffer, depth: number): string[] {
  const names = readNames(joinPath(root, folder));
  const paths: string[] = [];
  for (const name of Array.isArray(names) ? names : []) {
    if (paths.length > PROJECT_FILES_LISTED) break;
    const path = joinPath(folder, name);
    const isFolder = look(joinPath(root, folder), name).stat?.isDirectory() === true;
    const inside = isFolder && depth > 1 ? pathsIn(root, path, depth - 1) : [];
    paths.push(...(inside.length > 0 ? inside : [showPath(path) + (isFolder ? '/' : '')]));
  }
  return paths;
}

function kindOf(stat: Stats): PiFolder['kind'] {
  if (stat.isDirectory()) return 'folder';
  return stat.isSymbolicLink() ? 'link' : 'other';
}
