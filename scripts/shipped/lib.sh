# What the parts of shipped.sh share. A part is run in the checkout; what it prints is its record,
# what it says meanwhile is its log.
# shellcheck shell=bash
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

room=$(mktemp -d "${TMPDIR:-/tmp}/shipped.XXXXXX")
at_end=()
end() {
  local code=$? each
  trap - EXIT
  for each in "${at_end[@]}"; do $each || true; done
  rm -rf "$room"
  exit "$code"
}
trap end EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

say() { printf '%(%H:%M:%S)T %s\n' -1 "$*" >&2; }
die() { say "$@"; exit 1; }

# need PROGRAM PACKAGE...: ends the part when Debian's packages are to be installed first.
need() {
  local program=$1
  shift
  type -P "$program" >/dev/null || die "there is no $program: apt-get install $*"
}

# heading: the table's; row WHAT RESULT: one line of it.
heading() { printf '| what | result |\n|---|---|\n'; }
row() {
  printf '| %s | %s |\n' "$1" "$2"
  say "$1: $2"
}

# signature: when and of what the record is.
signature() {
  # shellcheck disable=SC2016   # Markdown
  printf '\n*`make shipped SHIPPED=%s`, %(%F)T, linux/%s, %s%s.*\n' "$1" -1 "$(go env GOARCH)" "$(go env GOVERSION)" "${2:+, $2}"
}

# copy FOLDER: this checkout's files, as a clone would have them.
copy() {
  mkdir -p "$1"
  git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - 2>/dev/null | tar -C "$1" -xf -
}
