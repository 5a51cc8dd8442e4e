#!/usr/bin/env bash
# A trial by memtier_benchmark and benchstat: five runs of each server in turns, each a tenth of the
# time, and benchstat (golang.org/x/perf) says which figures differ.
set -euo pipefail
# shellcheck source=gates.sh
source scripts/proof/ways/gates.sh

memtier=${MEMTIER:-memtier_benchmark}
command -v "$memtier" >/dev/null || { echo "there is no $memtier: name it in MEMTIER" >&2; exit 1; }

# load NAME ADDRESS adds a line of Go's benchmark format to the file of that name.
load() {
  "$memtier" --server "${2%:*}" --port "${2##*:}" --protocol memcache_text --threads 1 --clients "$CLIENTS" --ratio 0:1 \
    --key-minimum 1 --key-maximum 100 --test-time $(((SECONDS_EACH + 9) / 10)) --hide-histogram >"$work/memtier.log" 2>&1 ||
    { cat "$work/memtier.log" >&2; exit 1; }
  awk '/^Gets/ { printf "BenchmarkGet 1 %s ops/s %s p99-ms\n", $2, $7 }' "$work/memtier.log" >>"$work/$1.txt"
}

for _ in 1 2 3 4 5; do
  load base "$base"
  load change "$change"
done
"$work/benchstat" -alpha "$alpha" -format csv "$work/base.txt" "$work/change.txt" >"$work/stat.csv" 2>"$work/log" || { cat "$work/log" >&2; exit 1; }
awk -F, '
  $2 ~ /ops|p99/ { figure = $2; worse = $2 ~ /ops/ ? "-" : "+" }
  $1 == "Get" { outcome[figure] = $6 == "~" ? "undecided" : index($6, worse) == 1 ? "crossed" : "held"; ratio[figure] = $4 / $2 }
  END { printf "%s\t%s\t%.5f\t0\t%.5f\t0\n", outcome["ops/s"], outcome["p99-ms"], ratio["ops/s"], ratio["p99-ms"] }' "$work/stat.csv"
