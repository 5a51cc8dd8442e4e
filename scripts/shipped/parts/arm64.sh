#!/usr/bin/env bash
# k6 for linux/arm64, run by an emulator: sweeps of servers of this machine, and the tests of rooms
# that put numbers into bytes and back. The emulator costs some ten times the time.
# shellcheck source=scripts/shipped/lib.sh disable=SC2016   # Markdown
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
need qemu-aarch64-static qemu-user-static
export K6_NO_USAGE_REPORT=true K6_AUTO_EXTENSION_RESOLUTION=false SERVERS_ROOM=shipped-arm64

say 'building k6 for linux/arm64'
CGO_ENABLED=0 GOARCH=arm64 go build -C extensions/cmd/k6 -trimpath -buildvcs=false -ldflags '-s -w' -o "$room/k6" .
k6() { qemu-aarch64-static "$room/k6" "$@"; }
go version -m "$room/k6" | grep -q 'GOARCH=arm64' || die 'this is no program for arm64'

heading
row 'k6' "$(k6 version | head -n 1 | sed 's/^k6 //'), by $(qemu-aarch64-static --version | sed -n 's/^qemu-aarch64 version \([^ ]*\).*/qemu-user \1/p')"
scripts/servers.sh up machbase memcached nats >&2
at_end+=('scripts/servers.sh down')
eval "$(scripts/servers.sh env)"
# sweep SCENARIO OPTION...: its reports are valid, no operation failed.
sweep() {
  local scenario=$1
  shift
  k6 run --quiet "scenarios/$scenario.js" -e "RESULTS=$room/results" -e CLIENTS=1,8 -e DURATION=2s -e WARMUP=200ms "$@" >&2
}
sweep cache-sweep -e TARGET=memcached
k6 run --quiet scenarios/natsjs-kv.js -e "RESULTS=$room/results" -e ITERATIONS=200 >&2
k6 run --quiet scenarios/stock-load.js -e TPS=200 -e BACK=5 -e AHEAD=5 >&2
sweep stock-rollup
k6 x sweep validate "$room"/results/*.json >&2
row 'sweeps of memcached, NATS and Machbase (1 and 8 clients, 2 s a step)' "$(find "$room/results" -name '*.json' | wc -l) reports, all valid"

rooms='./extensions/machbase/stock ./extensions/memcached/wire/... ./extensions/nats/kvlayout/... ./extensions/resp/wire ./extensions/umemcache/wire
  ./extensions/sweep/report/...'
say 'testing'
# shellcheck disable=SC2086   # several rooms
CGO_ENABLED=0 GOARCH=arm64 go test -vet=off -exec qemu-aarch64-static $rooms >"$room/tests" 2>&1 || { cat "$room/tests" >&2; die 'tests fail'; }
row "\`go test\` of $(grep -c ^ok "$room/tests") packages: \`machbase/stock\`, \`memcached/wire\`, \`nats/kvlayout\`, \`resp/wire\`, \`umemcache/wire\`, \`sweep/report\`" 'pass'
signature arm64
