#!/usr/bin/env bash
# Tests how distributed.sh and soak.sh handle processes: signals and command lines. It needs neither
# k6 nor a server.
# shellcheck disable=SC2016,SC2034,SC2317   # what is in single quotes is for other shells; the functions under test read the variables
set -uo pipefail

scripts=$(cd "$(dirname "${BASH_SOURCE[0]}")/.." && pwd -P)
room=$(mktemp -d "${TMPDIR:-/tmp}/processes-test.XXXXXX") || exit 1
trap 'rm -rf "$room"' EXIT
passed=0 failed=0

# check TEXT COMMAND... is one check, passed if COMMAND succeeds.
check() {
  local text=$1
  shift
  if "$@"; then
    passed=$((passed + 1))
    printf 'ok    %s\n' "$text"
  else
    failed=$((failed + 1))
    printf 'FAIL  %s\n      not so: %s\n' "$text" "$*"
  fi
}
not() { ! "$@"; }
has_ended() { ! kill -0 "$1" 2>/dev/null; }
eventually() { local i; for ((i = 0; i < 100; i++)); do "$@" && return 0; sleep 0.1; done; return 1; }

#
# --- distributed.sh, without its last line, which runs it

mkdir "$room/servers"
ln -s "$scripts/servers/lib" "$room/servers/lib"
sed '$d' "$scripts/distributed.sh" >"$room/distributed.sh"
(
  # shellcheck source=/dev/null
  . "$room/distributed.sh"
  set +e
  sleep 60 & own=$!
  sleep 60 & stranger=$!
  pids=("$own" "$stranger") births=("$(birth "$own")" "$(birth "$own").")
  is_alive 0 || echo 'a part that runs is taken for one that has ended'
  ! is_alive 1 || echo 'a process that has got the number of a part is taken for it'
  signal_parts TERM
  wait "$own"
  kill -0 "$stranger" || echo 'a process that has got the number of a part gets its signal'
  kill "$stranger"
  wait "$stranger"
  signal_parts KILL   # of ended parts
) >"$room/said" 2>/dev/null
check 'distributed.sh signals its parts, and no process that has got the number of one' not grep . "$room/said"

#
# --- soak.sh, with a k6 and a curl that record their arguments

mkdir "$room/bin"
for tool in k6 curl; do
  cat >"$room/bin/$tool" <<END
#!/bin/sh
{ tr '\\0' ' ' </proc/\$\$/cmdline; echo; } >>"$room/calls"
echo "$tool \${K6_SWEEP_INFLUXDB_URL:-}" >>"$room/urls"
while [ \$# -gt 0 ]; do
  if [ "\$1" = -K ]; then cat "\$2" >>"$room/urls"; fi
  shift
done
END
  chmod +x "$room/bin/$tool"
done
PATH=$room/bin:$PATH K6=$room/bin/k6 INFLUXDB_URL=http://me:hunter2@127.0.0.1:1/k6 MEMCACHED_URL=127.0.0.1:1 SOAK_SECONDS=20 \
  "$scripts/soak.sh" >"$room/soak" 2>&1
check 'soak.sh calls k6 and curl' test "$(grep -c 'k6\|curl' "$room/calls")" -ge 2
check 'and no command line has the password of InfluxDB' not grep hunter2 "$room/calls"
check 'nor has what it prints' not grep hunter2 "$room/soak"
check 'which says where it streams to' grep -q 'streaming to http://127.0.0.1:1/soak_' "$room/soak"
check 'k6 and curl get it all the same' test "$(grep -c hunter2 "$room/urls")" -ge 2

printf '%d passed, %d failed\n' "$passed" "$failed"
((failed == 0))
