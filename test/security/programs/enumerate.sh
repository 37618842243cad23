# What somebody who got into a container looks for first: ways out, credentials, and what the place tells about its host.
# Prints one line for each question: "question: answer". Answers are "none" where there is nothing to be had.

say() { answer=$(tr '\n' ' ' | sed 's/ *$//'); printf '%s: %s\n' "$1" "${answer:-none}"; }
status() { sed -n "s/^$1:[[:space:]]*//p" /proc/self/status; }
writable() { for f in "$@"; do (exec 3>>"$f") 2>/dev/null && echo "$f"; done; }
readable() { for f in "$@"; do [ -n "$(head -c 1 "$f" 2>/dev/null | tr '\0' x)" ] && echo "${f#/proc/}"; done; }
present() { for f in "$@"; do [ -e "$f" ] && echo "$f"; done; }
ID='[0-9a-f]{64}'

# Who am I
status CapEff | sed 's/^0*$//' | say 'effective capabilities'
status CapBnd | sed 's/^0*$//' | say 'capabilities within reach'
status NoNewPrivs | say 'no new privileges'
status Seccomp | say 'system call filter'
id -G | tr ' ' '\n' | grep -vx "$(id -u)" | say 'further groups'
awk '{ print $1, $2, $3 }' /proc/self/uid_map | say 'user namespace map'
tr -d '\0' </proc/self/attr/current 2>/dev/null | say 'security module label'
find / -xdev -type f -perm /6000 2>/dev/null | say 'setuid files'
find / -xdev -type f -exec python3 -c '
import os, sys
for file in sys.argv[1:]:
    try: os.getxattr(file, "security.capability"); print(file)
    except OSError: pass' {} + 2>/dev/null | say 'files with capabilities'
command -v sudo doas pkexec docker kubectl nsenter gdb strace nmap ssh nc socat | sed 's|.*/||' | say 'tools that help'

# Ways out
present /run/docker.sock /var/run/docker.sock /run/containerd/containerd.sock /run/podman/podman.sock /run/crio/crio.sock | say 'engine sockets'
awk 'NR > 1 && NF > 7 { print $8 }' /proc/net/unix | say 'named local sockets'
find /dev -type b 2>/dev/null | sort | say 'disks'
find /dev -type c 2>/dev/null | sort | say 'devices'
awk '{ print $2 }' /proc/mounts | sort -u | while read -r m; do [ -d "$m" ] && [ -w "$m" ] && echo "$m"; done | say 'writable mounts'
awk '{ for (i = 7; i <= NF; i++) if ($i == "-") print $(i + 1), $5 }' /proc/self/mountinfo | grep -vE '^(overlay|proc|tmpfs|devpts|sysfs|cgroup2?|mqueue) ' | sed 's/^[^ ]* //' | sort | say 'mounts from a disk of the host'
find /sys/fs/cgroup -name release_agent -writable 2>/dev/null | head -1 | say 'release_agent'
find /sys/fs/cgroup -writable ! -type l 2>/dev/null | head -1 | say 'control groups'
writable /proc/sys/kernel/core_pattern /proc/sys/kernel/modprobe /proc/sys/kernel/hotplug /proc/sys/vm/panic_on_oom /proc/sysrq-trigger /sys/kernel/uevent_helper /proc/sys/fs/binfmt_misc/register | say 'kernel settings'
find /sys -writable ! -type l 2>/dev/null | head -1 | say 'anything in /sys'
(exec 3>/dev/shm/x) 2>/dev/null && echo /dev/shm | say 'shared memory' || say 'shared memory' </dev/null
ls /proc/1/root/ 2>/dev/null | head -1 | say 'root of the main process'

# Network
cut -s -d: -f1 /proc/net/dev | tr -d ' ' | sort | say 'interfaces'
awk 'NR > 1 { print $1, $2 }' /proc/net/route | say 'routes'
awk 'NR > 1 { print $1 }' /proc/net/arp | say 'neighbours'
sed -n 's/^nameserver *//p' /etc/resolv.conf | say 'name servers'
grep -v '^#' /etc/hosts 2>/dev/null | say 'hosts file'
awk '$4 == "0A" { print $2 }' /proc/net/tcp /proc/net/tcp6 2>/dev/null | say 'listening'

# Credentials
cat /proc/[0-9]*/environ 2>/dev/null | tr '\0' '\n' | grep -iE '(token|secret|password|credential|api_?key)[^=]*=' | sed 's/=.*//' | sort -u | say 'variables that sound like secrets'
cat /proc/1/environ 2>/dev/null | tr '\0' ' ' | say 'environment of the main process'
present /var/run/secrets /run/secrets ~/.ssh ~/.aws ~/.netrc ~/.npmrc ~/.docker ~/.config ~/.git-credentials ~/.pi | say 'credential files'
find /tmp /workspace /spill /home/agent -name '.env' -o -name 'id_*' -o -name '*.pem' 2>/dev/null | say 'key files'

# What the place tells
present /.dockerenv /run/.containerenv | say 'marks of a container'
grep -qE "$ID" /proc/self/mountinfo && echo yes | say 'container id in mountinfo' || say 'container id in mountinfo' </dev/null
grep -hoE "$ID" /proc/self/cgroup /etc/hostname 2>/dev/null | say 'container id in cgroup or hostname'
grep -qE 'lowerdir=|upperdir=' /proc/self/mountinfo && echo overlay folders | say 'storage of the engine' || say 'storage of the engine' </dev/null
grep -oE '(/home|/root|/Users)/[^ ]*' /proc/self/mountinfo | grep -v '^/home/agent' | say 'home folders of the host'
readable /proc/version /proc/cpuinfo /proc/meminfo /proc/stat /proc/loadavg /proc/uptime /proc/cmdline /proc/config.gz /proc/kallsyms /proc/iomem /proc/ioports /proc/interrupts /proc/diskstats /proc/partitions /proc/vmstat /proc/zoneinfo /proc/keys /proc/key-users /proc/locks /proc/swaps /proc/timer_list /proc/sched_debug /proc/slabinfo /proc/schedstat /proc/softirqs /proc/modules | say 'told about the host'
present /sys/block/* /sys/class/block/* /sys/class/dmi/id/* /sys/firmware/* /sys/class/net/e* /sys/class/powercap/* | head -3 | say 'hardware in /sys'
ps -eo uid= | sort -u | wc -l | say 'users with processes'
ps -o comm= -p 1 | say 'first process'
