#!/usr/bin/env bash
# Ten minutes of streaming, with the data of an hour: a sweep of memcached with 64 clients goes to
# InfluxDB every second. Then every second must exist, the sums must match the report, and k6's
# memory must not have grown. Run it on an otherwise idle machine.
#
#   scripts/servers.sh with influxdb memcached -- scripts/soak.sh
#
# SOAK_SECONDS (600) and SOAK_CLIENTS (64) change the size; K6 is the binary (bin/k6).
set -euo pipefail
export K6_AUTO_EXTENSION_RESOLUTION=false K6_NO_USAGE_REPORT=true
# A sweep sets GOGC so that the heap grows for minutes (extensions/sweep/host/collector.go). With
# Go's default, which a sweep then keeps, only a leak grows.
export GOGC=${GOGC:-100}
cd "$(dirname "$0")/.."

seconds=${SOAK_SECONDS:-600} clients=${SOAK_CLIENTS:-64} k6=${K6:-bin/k6}
most_growth=10 # percent of resident memory after the first minute

say() { printf 'soak.sh: %s\n' "$*"; }
die() { say "$@" >&2; exit 1; }

[[ -n ${INFLUXDB_URL:-} && -n ${MEMCACHED_URL:-} ]] || die "there is no InfluxDB or no memcached: scripts/servers.sh with influxdb memcached -- $0"
[[ $seconds =~ ^[1-9][0-9]{0,4}$ && $seconds -ge 20 ]] || die "SOAK_SECONDS is '$seconds': it takes an integer of at least 20"
[[ $clients =~ ^[1-9][0-9]{0,4}$ ]] || die "SOAK_CLIENTS is '$clients': it takes an integer of at least 1"
settled=60 # seconds until memory must stop growing
((seconds >= 90)) || settled=$((seconds * 2 / 3))

# The address may have a password, so it must not appear in a command line or in the output.
work=$(mktemp -d) server=${INFLUXDB_URL%/*} database=soak_$$_$(date +%s) pid='' failed=0
# shellcheck disable=SC2317   # the trap calls it
finish() {
  [[ -z $pid ]] || kill "$pid" 2>/dev/null || true
  curl -s -o /dev/null -K <(at_server) --data-urlencode "q=DROP DATABASE $database" || true
  rm -rf "$work"
}
trap finish EXIT

# at_server prints curl's configuration with the address of InfluxDB's queries.
at_server() { printf 'url = "%s/query"\n' "$server"; }

# ask QUERY prints the rows of the answer: name,tags,time in ns,columns.
ask() {
  curl -sSG -K <(at_server) --fail-with-body -H 'Accept: application/csv' --data-urlencode "db=$database" --data-urlencode epoch=ns \
    --data-urlencode "q=$1" | tail -n +2
}

# check TEXT CONDITION prints one line; CONDITION is arithmetic.
check() {
  if (($2)); then say "ok    $1"; printf '%s\n' "$1" >>"$work/held"; else say "FAIL  $1"; failed=1; fi
}

measure() {
  K6_SWEEP_INFLUXDB_URL=$server/$database "$k6" run --quiet --no-color -e TARGET=memcached -e CLIENTS="$clients" -e DURATION="${seconds}s" -e WARMUP=2s -e RESULTS="$work" \
    --out sweep-influxdb scenarios/cache-sweep.js >"$work/log" 2>&1 &
  pid=$!
  while sleep 1 && kill -0 "$pid" 2>/dev/null; do
    sed -n 's/^VmRSS:[[:space:]]*\([0-9]*\) kB/\1/p' "/proc/$pid/status" 2>/dev/null >>"$work/memory" || true
  done
  code=0
  wait "$pid" || code=$?
  pid=''
  grep 'points written' "$work/log" || true
  if ((code)); then tail -n 20 "$work/log"; fi
  check "k6 ended with exit code $code" "code == 0"
}

# The highest resident memory until it has settled, and afterwards.
memory() {
  local before after
  read -r before after < <(awk -v settled="$settled" '
    NR <= settled && $1 > before { before = $1 }
    NR > settled && $1 > after { after = $1 }
    END { print before + 0, after + 0 }' "$work/memory")
  check "resident memory: at most $((before / 1024)) MB in the first $settled s, $((after / 1024)) MB after that (at most $most_growth % more)" \
    "before > 0 && after > 0 && after * 100 <= before * (100 + most_growth)"
}

# For each kind of operation: its sums and the report's, and the gaps between its seconds.
figures() {
  local op ops lost sums times gaps kinds=0
  while IFS=, read -r op ops lost; do
    kinds=$((kinds + 1))
    sums=$(ask "SELECT sum(ops), sum(failed) FROM sweep WHERE phase='measure' AND op='$op'" | cut -d , -f 4-)
    check "$op: $ops operations and $lost failed in the report, $sums in InfluxDB" "$([[ $sums == "$ops,$lost" ]] && echo 1 || echo 0)"
    ask "SELECT ops FROM sweep WHERE phase='measure' AND op='$op'" | cut -d , -f 3 >"$work/times"
    times=$(wc -l <"$work/times")
    gaps=$(head -n "$((seconds - 1))" "$work/times" |
      awk 'NR > 1 && substr($0, 1, length($0) - 9) - substr(last, 1, length(last) - 9) != 1 { n++ } { last = $0 } END { print n + 0 }')
    check "$op: $times seconds in InfluxDB, of $seconds; $gaps gaps" "times >= seconds && gaps == 0"
  done < <("$k6" x sweep report "$work/cache-sweep-memcached.json" --format csv |
    awk -F , 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i; next } $at["op"] != "(total)" { print $at["op"] "," $at["ops"] "," $at["failed"] }')
  check "the report has $kinds kinds of operations" "kinds > 0"
}

host=${server#*://}
say "$clients clients for $seconds s, streaming to ${server%%://*}://${host##*@}/$database"
measure
memory
figures
# Only a complete run goes into scenarios/figures.md.
if ((seconds == 600 && clients == 64 && failed == 0)); then
  make -s bin/bench
  { printf '%s clients for %s s\n\n' "$clients" "$seconds"; sed 's/^/- /' "$work/held"; } |
    bin/bench put -part soak -command 'make soak'
fi
exit "$failed"
