/**
 * Files and folders of /proc, /sys and /dev that are covered in the container. `/sys/fs/cgroup` is not among them:
 * V8 reads its memory limit there, and without it is killed instead of collecting garbage.
 */
export const MASKED_PATHS: readonly string[] = [
  // What engines mask by themselves. The list replaces theirs, so it repeats it.
  '/proc/asound',
  '/proc/acpi',
  '/proc/kcore',
  '/proc/keys',
  '/proc/latency_stats',
  '/proc/timer_list',
  '/proc/timer_stats',
  '/proc/sched_debug',
  '/proc/scsi',
  '/sys/firmware',
  // What describes the host, its disks and its kernel.
  '/proc/buddyinfo',
  '/proc/cmdline',
  '/proc/config.gz',
  '/proc/diskstats',
  '/proc/interrupts',
  '/proc/iomem',
  '/proc/ioports',
  '/proc/kallsyms',
  '/proc/key-users',
  '/proc/kpagecgroup',
  '/proc/kpagecount',
  '/proc/kpageflags',
  '/proc/locks',
  '/proc/pagetypeinfo',
  '/proc/partitions',
  '/proc/schedstat',
  '/proc/slabinfo',
  '/proc/softirqs',
  '/proc/swaps',
  '/proc/vmstat',
  '/proc/zoneinfo',
  '/sys/block',
  '/sys/class/block',
  '/sys/devices/pci0000:00',
  '/sys/devices/virtual/powercap',
  '/sys/kernel',
  // World-writable otherwise.
  '/dev/mqueue',
];

/** Parts of /proc that stay readable but not writable. */
export const READONLY_PATHS: readonly string[] = [
  '/proc/bus',
  '/proc/fs',
  '/proc/irq',
  '/proc/sys',
  '/proc/sysrq-trigger',
];
