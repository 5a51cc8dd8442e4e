#!/usr/bin/env bash
# Shows that the first row of `make stock-rollup` is that of a server at rest: right after the load,
# the step of one client has the operations a second that it has after 60 seconds of rest, within 10
# %. Leave the machine alone meanwhile; a try takes about two minutes.
#
#   scripts/proof/rested.sh [TRIES]    3 tries when not given, each with a Machbase of its own; exit code 1 when one is further apart
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

most=10 # percent

# one_client measures the step, and prints its operations a second.
one_client() {
  bin/k6 run --quiet --no-color -e CLIENTS=1 -e DURATION=10s -e RESULTS="$1" scenarios/stock-rollup.js >"$1.log" 2>&1 ||
    { cat "$1.log" >&2; return 1; }
  grep -h 'quiet' "$1.log" >&2 || true
  bin/k6 x sweep report "$1/stock-rollup.json" --format csv |
    awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) if ($i == "ops_per_second") column = i } NR == 2 { print $column }'
}

# once loads the server that it is started with, and measures at once and after a rest.
once() {
  local work loaded rested
  work=$(mktemp -d)
  # shellcheck disable=SC2064 # the folder is known now
  trap "rm -rf '$work'" EXIT
  bin/k6 run --quiet scenarios/stock-load.js >&2
  loaded=$(one_client "$work/loaded")
  sleep 60
  rested=$(one_client "$work/rested")
  awk -v try="$1" -v loaded="$loaded" -v rested="$rested" -v most="$most" 'BEGIN {
    apart = 100 * (loaded / rested - 1)
    printf "try %d: %.0f/s right after the load, %.0f/s after 60 s of rest: %+.1f %%\n", try, loaded, rested, apart
    exit apart > most || apart < -most
  }'
}

if [[ ${1:-} == --once ]]; then
  once "$2"
  exit
fi
make build
held=0
for try in $(seq "${1:-3}"); do
  env -u MACHBASE_URL scripts/servers.sh with machbase -- scripts/proof/rested.sh --once "$try" || held=1
done
exit "$held"
