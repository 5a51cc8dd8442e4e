#!/usr/bin/env bash
# Shows what `k6 x sweep ab` sees on this machine: how often it takes the same work for slower, and
# how often it sees that an operation takes 5 % longer. Both have 8 pairs of 1 s,
# and gates of 2 % on operations a second and on processor time of an operation.
# With `neighbour`, two neighbours take the processor in random bursts, half of the time.
#
#   scripts/proof/ab.sh [TRIALS] [neighbour]    10 trials of each when not given; a trial takes some 35 s
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

trials=${1:-10} pairs=8 work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; rm -rf "$work"' EXIT
trap 'exit 1' INT TERM

# trial ROUNDS judges operations of so many rounds beside those of 10000, and prints the outcome.
trial() {
  bin/k6 x sweep ab --pairs "$pairs" --gate opsPerSecond=-2% --gate cpu=+2% --json -- \
    bin/k6 run --quiet -e ROUNDS=10000 scripts/proof/spin.js --- \
    bin/k6 run --quiet -e ROUNDS="$1" scripts/proof/spin.js >"$work/trial.json" 2>"$work/log" || [[ $? == 99 ]] ||
    { cat "$work/log" >&2; return 1; }
  for figure in opsPerSecond cpu; do
    echo "$figure $(sed -n "/\"figure\": \"$figure\"/,/\"outcome\"/"'s/.*"\(ratio\|low\|high\|visible\|outcome\)": "\{0,1\}\([^",]*\).*/\2/p' \
      "$work/trial.json" | paste -sd' ')"
  done
}

make build >&2
if [[ ${2:-} == neighbour ]]; then
  scripts/proof/neighbour.sh &
  scripts/proof/neighbour.sh &
fi
for rounds in 10000 10500; do
  for _ in $(seq "$trials"); do
    trial "$rounds"
  done | awk -v what="$([[ $rounds == 10000 ]] && echo 'the same work' || echo '5 % more work')" '
    { trials[$1]++; n[$1, $6]++; ratio[$1] += $2; width[$1] += ($4 - $3) / 2; visible[$1] += $5 }
    END {
      for (f in trials)
        printf "%s, %s: held %d, crossed %d, undecided %d of %d; mean ratio %.3f, interval ±%.1f %%, could see %.1f %%\n",
          what, f, n[f, "held"], n[f, "crossed"], n[f, "undecided"], trials[f],
          ratio[f] / trials[f], 100 * width[f] / trials[f], 100 * visible[f] / trials[f]
    }'
done
