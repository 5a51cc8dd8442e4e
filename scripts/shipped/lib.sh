# Common code of the parts of shipped.sh. A part runs in the checkout; its standard output is the
# record, standard error the log.
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

# need PROGRAM PACKAGE... ends the part if Debian packages have to be installed first.
need() {
  local program=$1
  shift
  type -P "$program" >/dev/null || die "there is no $program: apt-get install $*"
}

# heading prints the head of the table; row WHAT RESULT prints a row.
heading() { printf '| what | result |\n|---|---|\n'; }
row() {
  printf '| %s | %s |\n' "$1" "$2"
  say "$1: $2"
}

# signature prints the date and the commit.
signature() {
  # shellcheck disable=SC2016   # Markdown
  printf '\n*`make shipped SHIPPED=%s`, %(%F)T, linux/%s, %s%s.*\n' "$1" -1 "$(go env GOARCH)" "$(go env GOVERSION)" "${2:+, $2}"
}

# copy FOLDER copies this checkout's files, as in a clone.
copy() {
  mkdir -p "$1"
  git ls-files -z --cached --others --exclude-standard | tar --null --files-from=- --ignore-failed-read -cf - 2>/dev/null | tar -C "$1" -xf -
}
