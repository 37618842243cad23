import type { CommandRule } from '../../protocol/policy.ts';
import { DEVICES } from './targets.ts';

const why =
  'It writes to a disk as such. The sandbox has none, so it fails here, and elsewhere it would destroy all that is on it.';

/** Disks and file systems. */
export const DEVICE_RULES: readonly CommandRule[] = [
  { id: 'write-device', verdict: 'deny', reason: why, writesTo: DEVICES },
  {
    id: 'copy-to-device',
    verdict: 'deny',
    reason: why,
    programs: [
      'tee',
      'cp',
      'mv',
      'install',
      'shred',
      'wipe',
      'truncate',
      'rm',
      'cat',
      'pv',
      'badblocks',
      'blkdiscard',
      'ddrescue',
    ],
    paths: DEVICES,
  },
  {
    id: 'dd-to-device',
    verdict: 'deny',
    reason: why,
    programs: ['dd', 'dcfldd', 'pv'],
    operands: DEVICES.map((device) => `of=${device}`),
  },
  {
    id: 'format-device',
    verdict: 'deny',
    reason: why,
    programs: [
      'mkfs',
      'mkfs.*',
      'mke2fs',
      'mkswap',
      'wipefs',
      'fdisk',
      'sfdisk',
      'cfdisk',
      'gdisk',
      'sgdisk',
      'parted',
      'hdparm',
      'cryptsetup',
    ],
    paths: [...DEVICES, '/dev/*'],
    without: ['-l|--list'],
  },
  {
    id: 'remove-volume',
    verdict: 'deny',
    reason: 'It removes a volume with all that is on it.',
    programs: ['lvremove', 'vgremove', 'pvremove', 'blkdiscard', 'swapoff', 'losetup'],
  },
];
