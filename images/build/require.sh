#!/bin/sh
# Says why an image cannot become a pi-sandbox image, before anything is put into it. Only what every shell has.
#   require.sh             the image itself
#   require.sh NODE        that NODE runs in it
set -u

refuse() {
  echo "pi-sandbox: $1" >&2
  exit 1
}

loader=
for candidate in /lib64/ld-linux-x86-64.so.2 /lib/ld-linux-aarch64.so.1; do
  [ -e "$candidate" ] && loader=$candidate
done
[ -n "$loader" ] || refuse 'this image has no glibc (it may use musl, as Alpine does). Node and pi need a glibc image, for example one based on Debian, Ubuntu or Fedora.'
[ -x /bin/bash ] || refuse 'this image has no /bin/bash, which the agent runs its commands with. Install bash in it.'
command -v tar >/dev/null 2>&1 || refuse 'this image has no tar, which brings files in and results out. Install tar in it.'
[ -x /usr/bin/sha256sum ] || refuse 'this image has no /usr/bin/sha256sum, which looks at the guard before pi starts. Install coreutils in it.'

# Where a run mounts its own folders; a folder that is there already keeps its mode and owner under a tmpfs.
for folder in /workspace /home/agent /spill; do
  [ ! -e "$folder" ] || rmdir "$folder" 2>/dev/null || refuse "this image has something at $folder, which is where a run mounts its own folder. Remove it from the image."
done

if [ $# -gt 0 ]; then
  said=$("$1" --version 2>&1) || refuse "Node does not run in this image, which needs glibc 2.28 or newer and libstdc++: $said"
fi
