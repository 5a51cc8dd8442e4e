#!/usr/bin/env bash
# Runs workloads of YCSB on all stores that have their operations, and puts the tables side by side
# into the page of the scenarios. `make ycsb` starts the servers.
set -euo pipefail

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export SQLITE_URL="$folder/ycsb.db?_pragma=journal_mode(wal)"
for run in a:redis,memcached,nats,postgres,sqlite c:redis,memcached,nats,postgres,sqlite,machbase e:redis,postgres,sqlite; do
  workload=${run%%:*}
  bin/k6 run --quiet -e WORKLOAD="$workload" -e STORE="${run#*:}" -e RECORD_COUNT=10000 -e CLIENTS=16 -e WARMUP=1s -e QUIET=2s -e DURATION=3s -e REPEATS=4 \
    -e RESULTS="$folder" scenarios/ycsb.js
  sed -n '/^ops\/s$/,/^Ratios/{/^Ratios/!p}' "$folder/ycsb.md" | bin/bench put -part "ycsb-$workload" -command 'make ycsb' -page scenarios/README.md
done
