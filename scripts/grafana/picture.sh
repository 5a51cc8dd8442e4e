#!/usr/bin/env bash
# Makes dashboard.png: sweeps a Redis and a memcached that have less memory than their keys need,
# streams both to an InfluxDB, and draws what the queries of its dashboard bring. Needs bin/k6, and
# takes two minutes or so; leave the machine alone meanwhile.
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/../.."
export K6_AUTO_EXTENSION_RESOLUTION=false K6_NO_USAGE_REPORT=true

if [[ ${1:-} != with-servers ]]; then
  export MEMCACHED_MEMORY=64 REDIS_MEMORY=64
  exec env -u INFLUXDB_URL -u MEMCACHED_URL -u REDIS_URL scripts/servers.sh with influxdb memcached redis -- scripts/grafana/picture.sh with-servers
fi

room=$(mktemp -d)
trap 'rm -rf "$room"' EXIT
for target in redis memcached; do
  K6_SWEEP_INFLUXDB_INSTANCE=$target "${K6:-bin/k6}" run --quiet -o "sweep-influxdb=$INFLUXDB_URL" -e TARGET="$target" -e RESULTS="$room" \
    -e CLIENTS=1,8,32,64 -e DURATION="${DURATION:-10s}" -e WARMUP=1s -e KEYS=100000 -e VALUE=1000 scenarios/cache-sweep.js
done
(cd scripts/grafana && go run . page -influxdb "$INFLUXDB_URL" -scenario cache-sweep -instance memcached -baseline redis -since "${SECONDS}s") >"$room/page.html"
SCALE=0.7 scripts/screenshot.sh "$room/page.html" scripts/grafana/dashboard.png 1270,1300
