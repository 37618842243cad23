#!/bin/sh
# Installs what agents use daily, where something is missing and the image has apt.
set -eu

missing=
for command in git rg tar bash python3 cc make ps xz file curl jq unzip patch diff less; do
  command -v "$command" >/dev/null 2>&1 || missing="$missing $command"
done
command -v fd >/dev/null 2>&1 || command -v fdfind >/dev/null 2>&1 || missing="$missing fd"
[ -x /usr/bin/tini-static ] || missing="$missing tini"
[ -n "$missing" ] || exit 0

if ! command -v apt-get >/dev/null 2>&1; then
  echo "pi-sandbox: this image lacks$missing and has no apt-get to install them with." >&2
  exit 1
fi
echo "Installing packages for:$missing"
export DEBIAN_FRONTEND=noninteractive
apt-get update
apt-get install -y --no-install-recommends bash ca-certificates curl diffutils fd-find file gcc git jq less libc6-dev \
  libnss-myhostname make patch procps python3 ripgrep tar tini unzip xz-utils
apt-get clean
rm -rf /var/lib/apt/lists/*
