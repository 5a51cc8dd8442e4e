#!/usr/bin/env bash
# k6 for linux/arm64 in an emulator: sweeps of local servers with each protocol, and the tests of
# packages that encode numbers. The emulator is about ten times slower.
# shellcheck source=scripts/shipped/lib.sh disable=SC2016,SC2329   # Markdown; called at the end
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=scripts/servers/lib/process.sh
. scripts/servers/lib/process.sh
need qemu-aarch64-static qemu-user-static
export K6_NO_USAGE_REPORT=true K6_AUTO_EXTENSION_RESOLUTION=false SERVERS_ROOM=shipped-arm64

say 'building k6 for linux/arm64'
CGO_ENABLED=0 GOARCH=arm64 go build -C extensions/cmd/k6 -trimpath -buildvcs=false -ldflags '-s -w' -o "$room/k6" .
k6() { qemu-aarch64-static "$room/k6" "$@"; }
go version -m "$room/k6" | grep -q 'GOARCH=arm64' || die 'this is no program for arm64'

heading
row 'k6' "$(k6 version | sed -n '1s/^k6 //p'), by $(qemu-aarch64-static --version | sed -n 's/^qemu-aarch64 version \([^ ]*\).*/qemu-user \1/p')"
scripts/servers.sh up machbase memcached mxgateway nats redis >&2
at_end+=('scripts/servers.sh down')
eval "$(scripts/servers.sh env)"
# umem-cache is in no registry; this uses the test double.
make bin/chaos >&2
free_port
mkfifo "$room/open"
bin/chaos umem-cache "127.0.0.1:$port" <"$room/open" >"$room/umem" &
umem=$!
end_umem() { kill "$umem"; }
at_end+=(end_umem)
exec 7>"$room/open"
for ((tries = 0; tries < 120; tries++)); do [[ ! -s $room/umem ]] || break; sleep 0.5; done
UMEM_URL=$(cat "$room/umem")
export UMEM_URL

# sweep NAME SCENARIO OPTION... requires a valid report without failed operations.
sweep() {
  local name=$1 scenario=$2
  shift 2
  say "$name"
  rm -rf "$room/results"
  k6 run --quiet "scenarios/$scenario.js" -e "RESULTS=$room/results" -e CLIENTS=1,8 -e DURATION=2s -e WARMUP=200ms "$@" >&2
  k6 x sweep validate "$room"/results/*.json >&2
  row "$name" 'passes, the report is valid'
}
sweep 'memcached: `cache-sweep`' cache-sweep -e TARGET=memcached -e KEYS=1000
sweep 'Redis: `cache-sweep`' cache-sweep -e TARGET=redis -e KEYS=1000
sweep 'umem-cache (a double): `cache-sweep`' cache-sweep -e TARGET=umem -e KEYS=1000
sweep 'NATS: `nats-core`, requests' nats-core -e WORK=request
sweep 'NATS JetStream: `natsjs-kv-sweep`' natsjs-kv-sweep -e LAYOUT=orb -e MIX=mixed -e KEYS=100
sweep 'an emulated MXAccess gateway, gRPC: `read-bulk`' read-bulk
k6 run --quiet scenarios/stock-load.js -e TPS=200 -e BACK=64 -e AHEAD=10 >&2
sweep 'Machbase, native driver: `stock-load`, `stock-rollup`' stock-rollup

rooms=(./extensions/internal/clock ./extensions/internal/netutil ./extensions/machbase/generate ./extensions/memcached/wire/...
  ./extensions/nats/kvlayout ./extensions/resp/wire ./extensions/umemcache/wire ./extensions/sweep/gate/... ./extensions/sweep/report/...)
say 'testing'
# Tests start their own servers.
env -u UMEM_URL CGO_ENABLED=0 GOARCH=arm64 go test -vet=off -exec qemu-aarch64-static "${rooms[@]}" >"$room/tests" 2>&1 || { cat "$room/tests" >&2; die 'tests fail'; }
row "tests of $(grep -c ^ok "$room/tests") packages: wire rooms, \`machbase/generate\`, \`nats/kvlayout\`, \`sweep/gate\`, \`sweep/report\`, clock" 'pass'
signature arm64 '1 and 8 clients, 2 s a step'
