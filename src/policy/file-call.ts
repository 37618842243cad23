import type { JudgedCall } from '../protocol/gate.ts';
import { GUEST } from '../protocol/guest.ts';
import type { PathAccess } from '../protocol/policy.ts';
import { readSpellings, resolveToolPath, type Surroundings } from './tool-path.ts';

interface FileTool {
  /** What a person would call it; the first word of a subject. */
  readonly verb: string;
  /** All that it shows or does: `edit` prints lines around its change, and `grep` lines that it found. */
  readonly access: readonly PathAccess[];
  /** Whether the workspace stands for a missing path. */
  readonly optional: boolean;
}

/** Tools of pi that take a path, each in the argument `path`. */
const FILE_TOOLS: Readonly<Record<string, FileTool>> = {
  read: { verb: 'read', access: ['read'], optional: false },
  write: { verb: 'write', access: ['write'], optional: false },
  edit: { verb: 'edit', access: ['write', 'read'], optional: false },
  grep: { verb: 'search', access: ['search', 'read'], optional: true },
  find: { verb: 'list', access: ['list'], optional: true },
  ls: { verb: 'list', access: ['list'], optional: true },
};

/** One of the places that a call may reach. */
export interface Place {
  /** Absolute, in the sandbox. */
  readonly path: string;
  readonly how: 'as written' | 'as pi opens it' | 'as it really is';
}

export interface FileCall {
  readonly verb: string;
  readonly access: readonly PathAccess[];
  /** Each path once. Never empty. */
  readonly places: readonly Place[];
}

/** UTF-16 units; the kernel takes 4,095 bytes. */
const MAX_PATH = 4095;
/** Places that the guard may tell of one call: the five spellings of `read`, each with what is behind its links, and room. */
const MAX_CLAIMED = 64;

export type FileCallReading = FileCall | { readonly malformed: string } | undefined;

/** The places that a call of a file tool may reach. Undefined for other tools; `malformed` when that cannot be told. */
export function readFileCall(call: JudgedCall): FileCallReading {
  const tool = Object.hasOwn(FILE_TOOLS, call.tool) ? FILE_TOOLS[call.tool] : undefined;
  if (tool === undefined) return undefined;
  const given = tool.optional ? (call.arguments['path'] ?? '') || '.' : call.arguments['path'];
  if (typeof given !== 'string') return { malformed: 'its path is not a text' };
  if (given.includes('\0')) return { malformed: 'its path holds a NUL character' };
  if (given.length > MAX_PATH) return { malformed: `its path is longer than ${MAX_PATH} characters` };
  if (call.paths.length > MAX_CLAIMED) return { malformed: 'it names too many paths' };
  const plain = resolveToolPath(given, surroundingsOf(call));
  if (plain === undefined || plain.includes('\0'))
    return { malformed: 'its path is no address of a file in the sandbox' };
  const places = new Map<string, Place['how']>();
  const add = (path: string, how: Place['how']) => void (places.has(path) || places.set(path, how));
  for (const path of call.tool === 'read' ? readSpellings(plain) : [plain]) add(path, 'as written');
  for (const { resolved, real } of call.paths) {
    for (const path of [resolved, real ?? resolved]) {
      if (!path.startsWith('/') || path.includes('\0')) return { malformed: 'the guard told a path that is none' };
    }
    add(resolved, 'as pi opens it');
    if (real !== undefined) add(real, 'as it really is');
  }
  return { ...tool, places: [...places].map(([path, how]) => ({ path, how })) };
}

export function surroundingsOf({ workspace, home }: Pick<JudgedCall, 'workspace' | 'home'>): Surroundings {
  return { workspace, home: home ?? GUEST.home };
}
