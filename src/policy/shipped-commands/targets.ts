/** Folders of a system that everything else stands on, and all that is in one of them. */
const SYSTEM = 'bin boot dev etc home lib lib64 opt proc root run sbin srv sys usr var'.split(' ');
export const ROOTS: string[] = ['/', '/\\*', ...SYSTEM.flatMap((name) => [`/${name}`, `/${name}/\\*`])];
export const HOME: string[] = ['~', '~/\\*'];
export const WORKSPACE: string[] = ['.', '\\*'];

/** What git keeps: without it the history of the working copy is gone. */
export const GIT: string[] = [
  '.git',
  '.git/\\*',
  '.git/objects',
  '.git/refs',
  '.git/HEAD',
  '.git/objects/**',
  '.git/refs/**',
];

/** Disks, partitions and memory as files. */
export const DEVICES: string[] = [
  ...[
    'sd?*',
    'hd?*',
    'vd?*',
    'xvd?*',
    'nvme*',
    'mmcblk*',
    'loop*',
    'disk*',
    'dm-*',
    'md*',
    'ram*',
    'mapper/**',
    'block/**',
  ],
  ...['mem', 'kmem', 'port', 'zram*', 'nbd*', 'sr*'],
].map((name) => `/dev/${name}`);

/** Folders of the sandbox itself and of the agent. */
export const OWN: string[] = ['/opt/pi-sandbox', '/opt/pi-sandbox/**', '~/.pi', '~/.pi/**'];
export const SPILL: string[] = ['/spill', '/spill/**'];
