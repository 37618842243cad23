import type { CommandRule } from '../../protocol/policy.ts';
import { GIT, HOME, ROOTS, WORKSPACE } from './targets.ts';

const REMOVERS = ['rm', 'unlink', 'srm', 'shred', 'wipe', 'trash', 'rmtree'];

/** Ways to write the bit in letters. */
const SET_ID = ['+s', 'u+*s', 'g+*s', 'ug+*s', 'a+*s', 'u=*s', 'u+s*', 'g+s*', 'ug+s*', '+s*'];

/** Destroying more than a task can mean. The host is out of reach of all of it: what would be lost is the working copy. */
export const REMOVAL: readonly CommandRule[] = [
  {
    id: 'remove-system',
    verdict: 'deny',
    reason: 'It removes folders of the system: no task needs that, and the tools of this sandbox would be gone.',
    programs: [...REMOVERS, 'mv'],
    paths: ROOTS,
  },
  {
    id: 'remove-home',
    verdict: 'deny',
    reason: 'It removes the whole home folder; name the files that are in the way instead.',
    programs: REMOVERS,
    paths: HOME,
  },
  {
    id: 'remove-workspace',
    verdict: 'deny',
    reason: 'It would destroy the working copy that this run is about; name the files or folders that are in the way.',
    programs: REMOVERS,
    paths: WORKSPACE,
  },
  {
    id: 'remove-git',
    verdict: 'deny',
    reason: 'It would destroy the history of the working copy.',
    programs: [...REMOVERS, 'mv', 'truncate', 'tee'],
    paths: GIT,
  },
  {
    id: 'overwrite-git',
    verdict: 'deny',
    reason: 'It writes over what git keeps, which would destroy the history of the working copy; use git itself.',
    writesTo: ['.git/HEAD', '.git/index', '.git/packed-refs', '.git/objects/**', '.git/refs/**', '.git/config'],
  },
  {
    id: 'empty-workspace',
    verdict: 'deny',
    reason: 'It empties every file of a whole folder tree, the working copy among them.',
    programs: ['truncate', 'shred', 'dd'],
    paths: [...WORKSPACE, ...HOME, '/'],
  },
  {
    id: 'move-to-null',
    verdict: 'deny',
    reason: 'Moving a file over /dev/null loses it, and as root the device too; remove it by name instead.',
    programs: ['mv'],
    paths: ['/dev/null'],
  },
  {
    id: 'remove-by-script',
    verdict: 'ask',
    reason: 'The text of this script removes a whole folder tree that everything stands on.',
    programs: ['python*', 'node', 'perl', 'ruby', 'php', 'awk', 'gawk', 'deno', 'bun', 'lua*'],
    text: '(rmtree|rmSync|rmdirSync|rm_rf|rm_r|rimraf|remove_tree|removedirs)\\W.{0,40}[\'"](/|~|\\.{1,2}|/workspace/?|\\.git)[\'"]|rm\\s+-\\w*[rR]\\w*\\s+([/~.*]|\\.git)[\\s\'")]',
  },
  {
    id: 'shred',
    verdict: 'ask',
    reason: 'It overwrites files so that nobody can bring them back.',
    programs: ['shred', 'srm', 'wipe'],
  },
  {
    id: 'sync-delete',
    verdict: 'ask',
    reason: 'It removes everything in the working copy that the source does not have.',
    programs: ['rsync'],
    options: ['--delete|--delete-*|--del'],
    paths: [...WORKSPACE, ...HOME, ...ROOTS],
    without: ['-n|--dry-run'],
  },
  {
    id: 'open-permissions',
    verdict: 'deny',
    reason: 'It changes permissions or owners of system folders or the whole home; name the files that need it.',
    programs: ['chmod', 'chown', 'chgrp', 'setfacl', 'chattr'],
    options: ['-R|--recursive'],
    paths: [...ROOTS, ...HOME],
  },
  {
    id: 'open-root',
    verdict: 'deny',
    reason: 'It changes permissions or the owner of the root folder.',
    programs: ['chmod', 'chown', 'chgrp'],
    paths: ['/'],
  },
  {
    id: 'open-workspace',
    verdict: 'ask',
    reason:
      'It gives everybody every right, or nobody any, on the whole working copy, and all of that comes back as changes.',
    programs: ['chmod'],
    options: ['-R|--recursive'],
    operands: ['777', '0777', '000', '0000', '666', 'a+rwx', 'ugo+rwx', '+rwx', 'a=rwx', 'a-rwx', 'ugo-rwx', '-rwx'],
  },
  {
    id: 'set-user-id',
    verdict: 'ask',
    reason: 'It lets a file run with the rights of its owner, which no program of a project needs.',
    programs: ['chmod'],
    operands: [
      ...['44??', '45??', '46??', '47??', '64??', '65??', '66??', '67??'].flatMap((mode) => [mode, `0${mode}`]),
      ...SET_ID,
    ],
  },
  {
    id: 'set-capabilities',
    verdict: 'ask',
    reason: 'It gives a program rights of the administrator.',
    programs: ['setcap'],
  },
];
