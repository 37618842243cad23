import { describe, expect, test } from 'vitest';
import { MAX_CONTEXT_FILE_BYTES } from '../../src/policy/built-in.ts';
import type { ContextFile, PiFolder } from '../../src/protocol/project-files.ts';
import type { RunRequest } from '../../src/request/run-request.ts';
import { hostFacts, makePlan, REQUEST, refusal } from './support.ts';

const FILE: ContextFile = { path: 'AGENTS.md', bytes: 10, isLink: false, isExact: true, enters: true };
const PI: PiFolder = { name: '.pi', kind: 'folder', holds: ['.pi/extensions/x.ts'], holdsMore: false, enters: false };
const AGENTS: PiFolder = { ...PI, name: '.agents', holds: [], holdsMore: false };
const UNTRUSTED = ['-na', '-ne', '-ns', '-np', '--no-themes'];
const MOUNT = { workspace: 'mount', profile: 'review' } as const;

const withFiles = (contextFiles: readonly ContextFile[], request: Partial<RunRequest> = {}) =>
  makePlan({ ...REQUEST, ...request }, hostFacts({ repository: { contextFiles } }));
const withFolders = (piFolders: readonly PiFolder[], request: Partial<RunRequest> = {}) =>
  makePlan({ ...REQUEST, ...request }, hostFacts({ repository: { piFolders } }));

describe('instructions of the repository (M15)', () => {
  test('of the size limit reach the model, larger ones do not, and the plan says so', () => {
    const fits = withFiles([{ ...FILE, bytes: MAX_CONTEXT_FILE_BYTES }]);
    expect(fits.workspace.contextFiles).toBe(true);
    expect(fits.pi.argv).not.toContain('-nc');
    expect(fits.notices).toEqual([]);
    const large = withFiles([{ ...FILE, bytes: MAX_CONTEXT_FILE_BYTES + 1 }]);
    expect(large.workspace.contextFiles).toBe(false);
    expect(large.pi.argv).toContain('-nc');
    expect(large.notices).toEqual([
      expect.stringMatching(/^AGENTS\.md has .*, more than 64 KiB: no context file is given to the model\.$/),
    ]);
  });

  test('that are links are not given to the model', () => {
    const plan = withFiles([
      { ...FILE, isLink: true, bytes: 0 },
      { ...FILE, path: 'CLAUDE.md' },
    ]);
    expect(plan.pi.argv).toContain('-nc');
    expect(plan.notices.join()).toContain('AGENTS.md is a link');
  });

  test('behind the one that pi loads do not matter', () => {
    const plan = withFiles([FILE, { ...FILE, path: 'CLAUDE.md', isLink: true }]);
    expect(plan.pi.argv).not.toContain('-nc');
    expect(plan.notices).toEqual([]);
  });

  test('that do not enter a copy do not count in it, but in a mount, which shows them', () => {
    const files = [{ ...FILE, path: 'AGENTS.override.md', bytes: 20_000_000, enters: false }, FILE];
    expect(withFiles(files).pi.argv).not.toContain('-nc');
    expect(withFiles(files, MOUNT).pi.argv).toContain('-nc');
  });

  test('in another case count where the file system of a mount may take one for the other', () => {
    const files = [{ ...FILE, path: 'agents.override.md', isLink: true, isExact: false }, FILE];
    expect(withFiles(files).pi.argv).not.toContain('-nc');
    expect(withFiles(files, MOUNT).pi.argv).toContain('-nc');
  });

  test('never reach the model in triage', () => {
    expect(withFiles([FILE], { profile: 'triage' }).pi.argv).toContain('-nc');
  });
});

describe('a project that is not trusted (M14)', () => {
  test('has nothing of pi started, whatever it holds', () => {
    const { pi, workspace, notices } = withFolders([PI, AGENTS]);
    expect(pi.argv).toEqual(expect.arrayContaining([...UNTRUSTED, '--no-mcp', '--no-session']));
    expect(pi.argv).not.toContain('-a');
    expect(workspace.trusted).toBe(false);
    expect(notices).toEqual([
      'Left out of the copy, files of pi (with --trust-project they take effect inside, and can run code there): .pi/extensions/x.ts, .agents/.',
    ]);
  });

  test('has its folders covered in a mount, each spelling, and it is said', () => {
    const plan = withFolders([PI, AGENTS, { ...PI, name: '.PI' }, { ...PI, name: '.pI', kind: 'other' }], MOUNT);
    const covers = plan.container.tmpfs.filter(({ path }) => path.startsWith('/workspace/'));
    expect(covers.map(({ path, readOnly, mode }) => [path, readOnly, mode])).toEqual([
      ['/workspace/.pi', true, '0555'],
      ['/workspace/.agents', true, '0555'],
      ['/workspace/.PI', true, '0555'],
    ]);
    expect(plan.notices.join()).toMatch(/^Covered in the mount, files of pi .*: \.pi\/extensions\/x\.ts, \.agents\/, /);
  });

  test('is not mounted where a link stands for one of them: nothing covers a link (M15)', () => {
    const link: PiFolder = { ...PI, kind: 'link' };
    const error = refusal(() => withFolders([link], MOUNT));
    expect(error.message).toContain('.pi is a link');
    expect(error.hint).toContain('--workspace copy');
    expect(withFolders([link]).workspace.mode).toBe('copy');
  });
});

describe('a trusted project (M14)', () => {
  const entering = [PI, AGENTS].map((folder) => ({ ...folder, enters: true }));
  const TRUST = { trustProject: true };

  test('takes effect inside, MCP servers and sessions excepted, and the plan says what that means', () => {
    const { pi, workspace, notices } = withFolders(entering, TRUST);
    expect(workspace.trusted).toBe(true);
    expect(pi.argv).toEqual(expect.arrayContaining(['-a', '--no-mcp', '--no-session']));
    for (const flag of UNTRUSTED) expect(pi.argv).not.toContain(flag);
    expect(pi.argv.at(-1)).toMatch(/guard\.mjs$/);
    expect(notices).toEqual([
      expect.stringMatching(/^The project is trusted: what is in its \.pi and \.agents takes effect inside/),
    ]);
  });

  test('is not covered in a mount', () => {
    const { container, workspace } = withFolders([PI, AGENTS], { ...MOUNT, ...TRUST });
    expect(workspace.trusted).toBe(true);
    expect(container.tmpfs.filter(({ path }) => path.startsWith('/workspace/'))).toEqual([]);
  });

  test('without anything to trust starts as ever', () => {
    const { pi, workspace, notices } = withFolders([], TRUST);
    expect(workspace.trusted).toBe(false);
    expect(pi.argv).toEqual(expect.arrayContaining(UNTRUSTED));
    expect(notices.join()).toContain('no effect');
  });

  test('of which git ignores a folder says that it stays out, and how it enters', () => {
    const { workspace, notices } = withFolders([{ ...PI, enters: true }, AGENTS], TRUST);
    expect(workspace.trusted).toBe(true);
    expect(notices.join()).toContain('its .agents stays out: git ignores it (--include .agents brings it)');
    expect(withFolders([PI], TRUST).workspace.trusted).toBe(false);
  });

  test('is a contradiction in triage', () => {
    const error = refusal(() => withFolders(entering, { ...TRUST, profile: 'triage' }));
    expect(error.message).toMatch(/^--trust-project: the profile triage/);
    expect(error.hint).toContain('--profile review');
  });
});
