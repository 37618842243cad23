/** One question asked inside, in bash, and the answers to it. */
export interface Probe {
  /** Number of the attack in the list that these tests follow. */
  readonly id: string;
  readonly promise: string;
  /** `$PROBE_PORT` is a server of the test on the host's loopback, reachable from a container that shares its network. */
  readonly script: string;
  /** What the sandbox must answer, the whole of it. */
  readonly refused: string;
  /** The same to user 0 without capabilities, where it differs; nothing of ours runs as 0. */
  readonly refusedRoot?: string;
  /**
   * What a container without the protection answers: shows that the probe notices. Left out where the attempt would
   * leave this machine; a neighbour with a server of the test stands for it.
   */
  readonly able?: string | RegExp;
}

const PYTHON = `python3 - <<'END'
import ctypes, errno, os, signal, socket
libc = ctypes.CDLL(None, use_errno=True)
def say(name, work):
    try: work(); print(name, 'done', flush=True)
    except OSError as error: print(name, errno.errorcode.get(error.errno, error.errno), flush=True)
def apart(name, work):
    if os.fork() == 0:
        say(name, work)
        os._exit(0)
    os.wait()
def call(name, *args):
    def work():
        if getattr(libc, name)(*args) < 0: raise OSError(ctypes.get_errno(), name)
    return work
def write(path, data):
    fd = os.open(path, os.O_WRONLY)
    try: os.write(fd, data)
    finally: os.close(fd)
`;
const python = (body: string): string => `${PYTHON}${body.trim()}\nEND`;

/** The same answer to several attempts. */
const each = (names: readonly string[], answer: string): string => names.map((name) => `${name} ${answer}`).join('\n');

/** Shell that says for each of these what came of an attempt, in the system's own words. */
const attempt = (paths: readonly string[], how: string): string =>
  `for p in ${paths.join(' ')}; do answer=$( (${how}) 2>&1 ) && answer=done; echo "$p \${answer##*: }"; done`;

const ROOT_FILES = ['/x', '/etc/x', '/usr/bin/x', '/var/tmp/x', '/run/lock/x'];
const OWN_FOLDERS = ['/home/agent', '/spill', '/tmp', '/workspace'];
const DEVICES = ['/dev/full', '/dev/null', '/dev/pts/ptmx', '/dev/random', '/dev/tty', '/dev/urandom', '/dev/zero'];
const MASKED = ['keys', 'timer_list', 'kallsyms', 'iomem', 'interrupts', 'cmdline', 'vmstat', 'diskstats'];
const TUNABLES = ['/proc/sys/kernel/core_pattern', '/proc/sys/net/ipv4/ip_forward'];
const SECRETS = ['environ', 'mem', 'maps', 'fd/0', 'fd/1', 'root/', 'cwd/', 'stack'];
const KERNEL = [
  ...['unshare-user', 'unshare-net', 'unshare-mnt', 'unshare-pid', 'setns-net', 'setns-mnt', 'setns-pid', 'mount'],
  ...['chroot', 'ptrace', 'bpf', 'keyctl', 'io_uring_setup', 'vsock', 'netlink', 'packet', 'raw', 'ping'],
];
const PLACES = ['tcp/169.254.169.254/80', 'tcp/192.0.2.1/443', 'udp/192.0.2.1/53', 'tcp/2001:db8::1/443'];

export const PROBES: readonly Probe[] = [
  {
    id: 'FS1',
    promise: 'no file appears outside the four folders that are meant for it',
    script: attempt(ROOT_FILES, ': >$p'),
    refused: each(ROOT_FILES, 'Read-only file system'),
    able: each(ROOT_FILES, 'done'),
  },
  {
    id: 'FS2',
    promise: 'nothing but those folders and the standard devices is writable',
    script: `find / \\( -path /proc ${OWN_FOLDERS.map((path) => `-o -path '${path}/*'`).join(' ')} \\) -prune -o ! -type l -writable -print 2>/dev/null | sort | head -1000`,
    refused: [...DEVICES, ...OWN_FOLDERS].join('\n'),
    refusedRoot: ['/dev', ...DEVICES.toSpliced(2, 0, '/dev/pts'), '/tmp'].join('\n'),
    able: /^\/etc\/apt$/m,
  },
  {
    id: 'FS3',
    promise: 'there is no shared memory and no message queue',
    script: attempt(['/dev/shm/x', '/dev/mqueue/x'], 'set -C; : >$p'),
    refused: '/dev/shm/x No such file or directory\n/dev/mqueue/x Read-only file system',
    able: '/dev/shm/x done\n/dev/mqueue/x done',
  },
  {
    id: 'FS6',
    promise: 'a file cannot be made larger than planned, not even a sparse one',
    script: 'cd $(mktemp -d); sh -c "truncate -s 1T s; echo \\$?" 2>/dev/null; stat -c %s s; rm s',
    refused: '153\n0',
    able: '0\n1099511627776',
  },
  {
    id: 'PR1',
    promise: 'no process has a capability or can get one, and each has one filter',
    script: "sed -n 's/^\\(Cap...\\|NoNewPrivs\\|Seccomp\\):\\t0*/\\1 /p' /proc/self/status",
    refused: 'CapInh \nCapPrm \nCapEff \nCapBnd \nCapAmb \nNoNewPrivs 1\nSeccomp 2',
    able: /CapEff [0-9a-f]+\n.*\n.*\nNoNewPrivs \nSeccomp$/,
  },
  {
    id: 'PR2',
    promise: 'no program gives the rights of another user',
    script: `find / -xdev -type f -perm /6000 2>/dev/null | wc -l; su -c id root </dev/null 2>&1 | grep -c uid=0; command -v sudo pkexec doas | wc -l`,
    refused: '0\n0\n0',
    able: '0\n1\n0',
  },
  {
    id: 'PR2b',
    promise: 'a file that its owner marks as setuid gives nothing, and the search for such files finds it',
    script:
      'd=$(mktemp -d); cp /usr/bin/id $d; chmod 6755 $d/id; find $d -type f -perm /6000 | wc -l; findmnt -no OPTIONS -T $d | grep -o nosuid; rm -r $d',
    refused: '1\nnosuid',
    able: '1\nnosuid',
  },
  {
    id: 'PR3',
    promise: 'no change of user, groups, priority or out-of-memory score',
    script: python(`
say('groups', lambda: os.setgroups([0, 44]))
say('nice', lambda: os.setpriority(os.PRIO_PROCESS, 0, -20))
say('fifo', lambda: os.sched_setscheduler(0, os.SCHED_FIFO, os.sched_param(1)))
say('oom', lambda: write('/proc/self/oom_score_adj', b'-1000'))
say('uid', lambda: os.setuid(0 if os.getuid() else 12345))
`),
    refused: 'groups EPERM\nnice EACCES\nfifo EPERM\noom EACCES\nuid EPERM',
    // A control group without real-time budget or a host without SYS_RESOURCE refuses two of them to everybody.
    able: /^groups done\nnice done\nfifo (done|EPERM)\noom (done|EACCES)\nuid done$/,
  },
  {
    id: 'PR4',
    promise: 'no device but the standard ones, and none can be made',
    script: `cd $(mktemp -d); ${attempt(['b', 'c'], 'mknod $p $p 1 3')}; find /dev -type b -o -type c | sort`,
    refused: ['b Operation not permitted', 'c Operation not permitted', ...DEVICES].join('\n'),
    able: /^b done\nc done\n[\s\S]*\/dev\/kmsg\n/,
  },
  {
    id: 'PR5',
    promise: 'no ambient capabilities',
    script: 'setpriv --inh-caps +net_raw --ambient-caps +net_raw true && echo done',
    refused: 'setpriv: apply capabilities: Operation not permitted',
    able: 'done',
  },
  {
    id: 'KS',
    promise: 'no namespaces, mounts, tracing, kernel programs, keys, rings or raw sockets (KS1-KS6, NW3)',
    script: python(`
import platform
NUMBERS = {'x86_64': (321, 250, 425), 'aarch64': (280, 219, 425)}
BPF, KEYCTL, RING = NUMBERS[platform.machine()]
for name, flag in [('user', 0x10000000), ('net', 0x40000000), ('mnt', 0x20000), ('pid', 0x20000000)]:
    apart('unshare-' + name, call('unshare', flag))
for name in ['net', 'mnt', 'pid']:
    apart('setns-' + name, call('setns', os.open('/proc/self/ns/' + name, os.O_RDONLY), 0))
apart('mount', call('mount', b'none', b'/mnt', b'tmpfs', 0, None))
apart('chroot', call('chroot', b'/tmp'))
child = os.fork()
if child == 0: signal.pause()
say('ptrace', call('ptrace', 16, child, 0, 0))
os.kill(child, 9)
table = ctypes.create_string_buffer(bytes([1, 0, 0, 0, 4, 0, 0, 0, 4, 0, 0, 0, 1, 0, 0, 0]) + bytes(112))
say('bpf', call('syscall', BPF, 0, ctypes.byref(table), 72))
say('keyctl', call('syscall', KEYCTL, 0, -3, 1))
say('io_uring_setup', call('syscall', RING, 8, ctypes.byref(ctypes.create_string_buffer(256))))
say('vsock', lambda: socket.socket(40, socket.SOCK_STREAM))
say('netlink', lambda: socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 16))
say('packet', lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW))
say('raw', lambda: socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP))
say('ping', lambda: socket.socket(socket.AF_INET6, socket.SOCK_RAW, socket.IPPROTO_ICMPV6))
`),
    refused: each(KERNEL, 'EPERM'),
    able: each(KERNEL, 'done'),
  },
  {
    id: 'KS8',
    promise: 'nothing of the control groups can be changed',
    script:
      'find /sys -writable ! -type l 2>/dev/null | head -1 | wc -l; find /sys/fs/cgroup -name release_agent -writable | head -1 | wc -l',
    refused: '0\n0',
    able: /^1\n/,
  },
  {
    id: 'PS1',
    promise: 'no setting of the kernel can be opened for writing',
    script: attempt(TUNABLES, 'exec 3>>$p'),
    refused: each(TUNABLES, 'Permission denied'),
    refusedRoot: each(TUNABLES, 'Read-only file system'),
    able: each(TUNABLES, 'done'),
  },
  {
    id: 'PS2',
    promise: 'what describes the host in detail is empty',
    script: `for f in ${MASKED.join(' ')}; do echo "$f $(head -c 64 /proc/$f 2>/dev/null | wc -c)"; done`,
    refused: each(MASKED, '0'),
    able: each(MASKED, '64'),
  },
  {
    id: 'PS3',
    promise: 'the own control group does not tell the container',
    script: 'cut -d: -f3 /proc/self/cgroup | sort -u',
    refused: '/',
    able: /[0-9a-f]{64}/,
  },
  {
    id: 'PS4',
    promise: 'the main process cannot be looked into',
    script: `${attempt(
      SECRETS.map((file) => `/proc/1/${file}`),
      'case $p in */) ls $p >/dev/null;; *) exec 3<$p;; esac',
    )}`,
    refused: each(
      SECRETS.map((file) => `/proc/1/${file}`),
      'Permission denied',
    ),
    able: each(
      SECRETS.map((file) => `/proc/1/${file}`),
      'done',
    ),
  },
  {
    id: 'PS5',
    promise: 'no name server, search domain or host name of the host',
    script: 'cat /etc/resolv.conf /etc/hosts; cat /etc/hostname',
    refused: 'sandbox',
    able: /nameserver/,
  },
  {
    id: 'NW1',
    promise: "a server on the host's loopback cannot be reached",
    script:
      'answer=$( (timeout 3 bash -c "exec 3<>/dev/tcp/127.0.0.1/$PROBE_PORT && head -c 5 <&3") 2>&1 ); echo "$answer" | sed -n "\\$ s/.*: //p; \\$ s/^hello$/hello/p"',
    refused: 'Connection refused',
    able: 'hello',
  },
  {
    id: 'NW1c',
    promise: 'no metadata service, no other host, with TCP, UDP or IPv6',
    script: attempt(PLACES, 'timeout 1 bash -c "exec 3<>/dev/$p"'),
    refused: each(PLACES, 'Network is unreachable'),
  },
  {
    id: 'NW1b',
    promise: 'there is no interface but loopback and no route',
    script:
      'cut -d: -f1 -s /proc/net/dev | tr -d " " | sort; tail -n +2 /proc/net/route; grep -v " lo$" /proc/net/ipv6_route',
    refused: 'lo',
    able: /^(?!lo$)\w+$/m,
  },
  {
    id: 'NW2',
    promise: 'no name can be resolved, and that is said at once',
    script: 'SECONDS=0; timeout 5 getent hosts collector.example.com || echo none; [ $SECONDS -le 1 ] && echo at once',
    refused: 'none\nat once',
  },
  {
    id: 'NW2b',
    promise: 'not even a name that the host has written down',
    script: 'getent hosts $PROBE_NAME | wc -l',
    refused: '0',
    able: '1',
  },
  {
    id: 'NW4',
    promise: 'no socket of the engine or of anything else outside is there',
    script:
      'ls -d /run/docker.sock /var/run/docker.sock /run/containerd /run/host 2>/dev/null; awk "NF > 7 && NR > 1 { print \\$8 }" /proc/net/unix',
    refused: '',
    able: /docker\.sock/,
  },
];
