#!/usr/bin/env bash
# Shows how often an interval of "95 %" has the truth: runs of 2.5 s against an emulator of which
# the truth is known, half of them beside a neighbour that takes processor time in random bursts,
# and how many of their intervals of ops/s and of p99 hold it.
#
#   scripts/proof/coverage.sh [RUNS]    300 when not given, some 17 minutes; goes on where it stopped
#   scripts/proof/coverage.sh --tally   what was seen so far, as a table
#   scripts/proof/coverage.sh --write   writes that into README.md beside this file
#
# The truth: a service takes 20 ms and an exponential time of 20 ms more, by timers, which no
# neighbour can steal from. What the network, timers and the scheduler add is not known before, and
# is more beside a neighbour; it changes from hour to hour with what other machines do: by 7 % of a
# service of 4 ms, and by less than 1 % of this one. The truth of a run is therefore what all OTHER
# runs beside the same (quiet, or neighbour) came to: their mean of ops/s, and p99 of all their
# operations together. A run has no part in its own truth, and the truth of 149 runs is some twelve
# times as sure as a run. The neighbour's bursts are shorter than 300 ms, so that a run has many of
# them: how a longer one falls is not noise within a run, but a difference between runs, which no
# interval of a run tells.
#
# It needs two processors that nobody else uses. What was seen is in results/coverage-proof; remove
# it to begin anew.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
# shellcheck source=page.sh
source scripts/proof/page.sh

seen=results/coverage-proof
work=$(mktemp -d)
# shellcheck disable=SC2329 # the trap calls it
clean() {
  # shellcheck disable=SC2046 # one word for each
  kill $(jobs -p) 2>/dev/null || true
  wait 2>/dev/null || true
  rm -rf "$work"
}
trap clean EXIT
trap 'exit 1' INT TERM

# neighbour takes a processor in bursts of 20 to 200 ms, with rests as long.
neighbour() { exec "$work/coverage" -neighbour 200ms; }

# run does one run, and keeps its report.
run() {
  bin/k6 run --quiet --no-color -e URL="http://$url" -e CLIENTS=64 -e DURATION=2500ms -e RESULTS="$work/run" scripts/proof/witness.js \
    >"$work/log" 2>&1 || { cat "$work/log" >&2; return 1; }
  mv "$work/run/witness.json" "$1"
  echo "$stamp" >>"$seen/stamps.tsv"
}

failed() { echo "run $1 failed: another start of this script runs it again" >&2; }

go build -o "$work/coverage" ./scripts/proof/coverage
case ${1:-} in
  --tally) "$work/coverage" -tally "$seen"; exit ;;
  --write) { "$work/coverage" -tally "$seen"; caption "$seen/stamps.tsv"; } | put coverage; exit ;;
esac
make build >&2
mkdir -p "$seen"
stamp=$(stamp)
"$work/coverage" >"$work/address" &
until [[ -s $work/address ]]; do sleep 0.05; done
url=$(<"$work/address")
for n in $(seq "${1:-300}"); do
  beside=quiet
  ((n % 2)) || beside=neighbour
  report=$seen/$beside-$(printf %03d "$n").json
  [[ ! -s $report ]] || continue
  if [[ $beside == neighbour ]]; then
    neighbour &
    bully=$!
    run "$report" || failed "$n"
    kill "$bully"
    wait "$bully" 2>/dev/null || true
  else
    run "$report" || failed "$n"
  fi
  ((n % 20)) || echo "$n runs"
done
"$work/coverage" -tally "$seen"
