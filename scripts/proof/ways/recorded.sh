#!/usr/bin/env bash
# A trial by recorded runs: five runs of the base are the baseline, and the gates judge a run of the
# change beside it. Each of the six has a sixth of the time. The witness is off: with it, a gate
# says nothing of a step beside a neighbour, and there is nothing to compare.
set -euo pipefail
# shellcheck source=gates.sh
source scripts/proof/ways/gates.sh

export K6_SWEEP_WITNESS=off
seconds=$(awk -v all="$SECONDS_EACH" 'BEGIN { print all / 6 }')
for _ in 1 2 3 4 5; do
  sweep DURATION="${seconds}s" "$(address)=$base"
  bin/k6 x sweep record "$work/results/$SCENARIO.json" -o "$work/baseline.json" >"$work/log" 2>&1 || { cat "$work/log" >&2; exit 1; }
done
sweep DURATION="${seconds}s" "$(address)=$change"
judge '"baseline": "baseline.json",'
