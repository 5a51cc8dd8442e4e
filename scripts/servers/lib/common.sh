# shellcheck shell=bash
#
# Small functions for all parts of servers.sh.

say() { printf 'servers.sh: %s\n' "$*" >&2; }
die() { say "$@"; exit 1; }
have() { type -P "$1" >/dev/null; }

# show_end FILE... prints the last lines of each, indented, below an error message.
show_end() {
  local file
  for file in "$@"; do
    [[ -s $file ]] || continue
    printf '  %s ends with:\n' "${file##*/}" >&2
    # A program that crashes prints the reason first, and then more than 15 lines.
    { grep -m 1 -A 14 -E '(^(panic|fatal error|SIG[A-Z]+): | crashed by signal)' "$file" || tail -n 15 "$file"; } | sed 's/^/    /' >&2
  done
}

# need_space FOLDER MB PURPOSE stops early if the file system of FOLDER is too full.
need_space() {
  local folder=$1 need=$2 purpose=$3 available
  while [[ ! -d $folder && $folder == */?* ]]; do folder=${folder%/*}; done
  available=$(df -Pk "${folder:-/}" 2>/dev/null | { read -r _ && read -r _ _ _ kb _ && echo $((kb / 1024)); }) || return 0
  [[ $available =~ ^[0-9]+$ ]] || return 0
  ((available >= need)) || die "not enough disk space in $1: $purpose needs about $need MB, $available MB are available"
}

# take_lock FD MESSAGE waits for the lock on an open file. It polls, because bash runs no trap while
# flock waits. Without flock (macOS) there is no lock; files are renamed into place, so at worst
# work is done twice.
take_lock() {
  local code=0
  have flock || return 0
  flock -n "$1" || code=$?
  ((code == 1)) || return 0   # another code means that the file cannot be locked
  say "$2"
  while ((code == 1)); do
    sleep 0.2
    code=0
    flock -n "$1" || code=$?
  done
}

# positive_number VARIABLE checks its value.
positive_number() {
  [[ ${!1} =~ ^[1-9][0-9]{0,8}$ ]] || die "$1 is '${!1}': it takes an integer of at least 1"
}
