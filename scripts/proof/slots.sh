#!/usr/bin/env bash
# Shows what it costs that a step keeps what it did over its time, by a duet: base is k6 as it is,
# and change keeps none of it, in turns of one run over one memcached. Wanted are at most 1 % of
# ops/s, and 4 MB. Benchmarks say what an operation, a slot and a step take of it.
#
#   scripts/proof/slots.sh    some 5 minutes, and writes the table into README.md beside this file
#
# The run sweeps gets by 1 to 512 clients; CLIENTS and DURATION make it shorter.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export K6_AUTO_EXTENSION_RESOLUTION=false K6_NO_USAGE_REPORT=true

if [[ -n ${SLOTS_ROOM:-} ]]; then
  exec "$SLOTS_ROOM/k6" run --quiet --no-color -e RESULTS="$SLOTS_ROOM" -e MEMCACHED_URL="$MEMCACHED_URL" -e BASE_URL="$MEMCACHED_URL" \
    -e MIX=get:1 -e KEYS=10000 -e CLIENTS="${CLIENTS:-1,8,64,512}" -e DURATION="${DURATION:-60s}" -e WARMUP=1s -e PAUSE=0s -e QUIET=1s scenarios/cache-sweep.js
fi
SLOTS_ROOM=$(mktemp -d)
export SLOTS_ROOM
trap 'rm -rf "$SLOTS_ROOM"' EXIT
# The same k6, which keeps nothing over time of a duet's change.
source=$PWD/extensions/sweep/measure/recorder.go
sed -e '/change\.keepSlots(r, true)$/d' "$source" >"$SLOTS_ROOM/recorder.go"
(($(diff "$source" "$SLOTS_ROOM/recorder.go" | grep -c '^<') == 1)) || { echo "slots.sh: $source is not what it was: mend the edit here" >&2; exit 1; }
printf '{"Replace": {"%s": "%s"}}\n' "$source" "$SLOTS_ROOM/recorder.go" >"$SLOTS_ROOM/overlay.json"
go build -C extensions/cmd/k6 -overlay "$SLOTS_ROOM/overlay.json" -trimpath -ldflags '-s -w' -o "$SLOTS_ROOM/k6" .
go build -o "$SLOTS_ROOM/slots" ./scripts/proof/slots
go test -c -o "$SLOTS_ROOM/bench" ./extensions/sweep/measure
"$SLOTS_ROOM/bench" -test.run '^$' -test.bench '^Benchmark(Record|TurnOfASlot|SlotsOfAStep)$' -test.count 6 >"$SLOTS_ROOM/benchmarks"
env -u MEMCACHED_URL MEMCACHED_CONNECTIONS=2048 scripts/servers.sh with memcached -- scripts/proof/slots.sh
"$SLOTS_ROOM/slots" -run "$SLOTS_ROOM/cache-sweep.json" -benchmarks "$SLOTS_ROOM/benchmarks" -write scripts/proof/README.md
