#!/usr/bin/env bash
# A trial by pairs of whole processes: k6 x sweep ab, five pairs, each process a tenth of the time.
set -euo pipefail
# shellcheck source=gates.sh
source scripts/proof/ways/gates.sh

seconds=$(awk -v all="$SECONDS_EACH" 'BEGIN { print all / 10 }')
run=(bin/k6 run --quiet --no-color -e MIX=get:100 -e KEYS=100 -e CLIENTS="$CLIENTS" -e WARMUP=1s -e QUIET=0s -e PAUSE=0s -e DURATION="${seconds}s")
bin/k6 x sweep ab --pairs 5 --gate "opsPerSecond=-$opsTolerated%" --gate "p99=+$p99Tolerated%" --json -- \
  "${run[@]}" -e MEMCACHED_URL="$base" scenarios/cache-sweep.js --- \
  "${run[@]}" -e MEMCACHED_URL="$change" scenarios/cache-sweep.js >"$work/trial.json" 2>"$work/log" || [[ $? == 99 ]] ||
  { cat "$work/log" >&2; exit 1; }
"$work/duet" -pairs "$work/trial.json"
