#!/usr/bin/env bash
# Prints the path of a Chromium for tests: from PATH or, for root on Debian, from the package
# chromium, which it installs. Chromium needs too many libraries to be unpacked into the cache, as
# servers are.
set -euo pipefail

say() { printf 'browser.sh: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }

# in_path prints the path of the first one found.
in_path() {
  local name
  for name in chromium chromium-browser google-chrome google-chrome-stable; do
    ! type -P "$name" || return 0
  done
  return 1
}

# install shows the output of apt-get on stderr if it fails.
install() {
  log=$(mktemp)
  trap 'rm -f "$log"' EXIT
  apt_get install -y -qq --no-install-recommends chromium >"$log" 2>&1 ||
    { apt_get update -qq && apt_get install -y -qq --no-install-recommends chromium; } >"$log" 2>&1 ||
    { tail -n 15 "$log" >&2; die 'apt-get cannot install the package chromium: install a Chromium or Chrome yourself'; }
}

# Waits for another apt-get.
apt_get() { DEBIAN_FRONTEND=noninteractive apt-get -o DPkg::Lock::Timeout=120 "$@" </dev/null; }

is_debian() { grep -qx 'ID=debian' /etc/os-release 2>/dev/null && type -P apt-get >/dev/null; }

if ! in_path; then
  is_debian || die 'there is no Chromium in PATH (chromium, chromium-browser, google-chrome): install one'
  ((EUID == 0)) || die 'there is no Chromium in PATH: as root, apt-get install chromium'
  say 'there is no Chromium in PATH: installing the package chromium'
  install
  in_path || die 'the package chromium has put no chromium into PATH'
fi
