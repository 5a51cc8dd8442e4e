#!/usr/bin/env bash
# Shows what it costs that a step keeps what it did over its time: the same steps with a k6 that
# does not, in turns, each in a process of its own. Wanted are at most 1 % of ops/s and of k6's
# processor time, and 4 MB.
#
#   scripts/proof/slots.sh [PAIRS]    12 when not given, some 3 minutes; goes on where it stopped
#   scripts/proof/slots.sh --write    writes what was seen so far into README.md beside this file
#
# Each run sweeps a memcached with gets, by 1 to 512 clients. CLIENTS and DURATION make it shorter.
# What was seen is in results/slots-proof.jsonl; remove it to begin anew. When all pairs are there,
# the table is written by itself.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export K6_AUTO_EXTENSION_RESOLUTION=false K6_NO_USAGE_REPORT=true

seen=results/slots-proof.jsonl
if [[ ${1:-} == --write ]]; then
  go run ./scripts/proof/slots -seen "$seen" -write scripts/proof/README.md
  exit
fi
pairs=${1:-12}
if [[ -z ${SLOTS_ROOM:-} ]]; then
  make build >&2
  SLOTS_ROOM=$(mktemp -d)
  export SLOTS_ROOM
  trap 'rm -rf "$SLOTS_ROOM"' EXIT
  # The same k6, whose steps keep nothing over their time: no kind of operation has slots, and no
  # timer begins.
  source=$PWD/extensions/sweep/measure/slots.go
  sed -e 's/mostKinds = 16$/mostKinds = 0/' -e '/^func (s \*slots) open(/a return' "$source" >"$SLOTS_ROOM/slots.go"
  (($(diff "$source" "$SLOTS_ROOM/slots.go" | grep -c '^>') == 2)) || { echo "slots.sh: $source is not what it was: mend the two edits here" >&2; exit 1; }
  printf '{"Replace": {"%s": "%s"}}\n' "$source" "$SLOTS_ROOM/slots.go" >"$SLOTS_ROOM/overlay.json"
  go build -C extensions/cmd/k6 -overlay "$SLOTS_ROOM/overlay.json" -trimpath -ldflags '-s -w' -o "$SLOTS_ROOM/k6-without" .
  go build -o "$SLOTS_ROOM/slots" ./scripts/proof/slots
  mkdir -p results
  env -u MEMCACHED_URL scripts/servers.sh with memcached -- scripts/proof/slots.sh "$pairs"
  go test -run '^$' -bench '^BenchmarkRecord$' -count 6 ./extensions/sweep/measure >"$SLOTS_ROOM/record"
  "$SLOTS_ROOM/slots" -seen "$seen" -record "$SLOTS_ROOM/record" -write scripts/proof/README.md
  exit
fi
"$SLOTS_ROOM/slots" -seen "$seen" -pairs "$pairs" -with bin/k6 -without "$SLOTS_ROOM/k6-without" -- run --quiet --no-color \
  -e TARGET=memcached -e MIX=get:1 -e KEYS=10000 -e CLIENTS="${CLIENTS:-1,8,64,512}" -e DURATION="${DURATION:-1s}" -e WARMUP=200ms -e PAUSE=0s -e QUIET=0s \
  scenarios/cache-sweep.js
