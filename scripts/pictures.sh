#!/usr/bin/env bash
# Makes the pictures of pages for the docs, from sweeps that it runs: `inside` a step, runs
# `beside` each other, a `duet`, and k6's web `dashboard`. Needs bin/k6, and two minutes for all.
#
#   scripts/pictures.sh [inside] [beside] [duet] [dashboard]
set -euo pipefail

cd "$(dirname "${BASH_SOURCE[0]}")/.."
export K6_AUTO_EXTENSION_RESOLUTION=false K6_NO_USAGE_REPORT=true
k6=$(realpath "${K6:-bin/k6}")

if [[ -z ${PICTURES_ROOM:-} ]]; then
  PICTURES_ROOM=$(mktemp -d)
  export PICTURES_ROOM
  trap 'rm -rf "$PICTURES_ROOM"' EXIT
  env -u MEMCACHED_URL -u REDIS_URL scripts/servers.sh with memcached redis -- scripts/pictures.sh "$@"
  exit
fi
room=$PICTURES_ROOM

# sweep FOLDER SETTING... runs cache-sweep.
sweep() {
  "$k6" run --quiet -e RESULTS="$room/$1" -e WARMUP=500ms -e PAUSE=100ms -e QUIET=0s -e KEYS=10000 \
    "${@:2}" scenarios/cache-sweep.js >"$room/$1.log" 2>&1 || { tail -n 5 "$room/$1.log" >&2; return 1; }
}

inside() {
  local server program port line
  program=$(scripts/servers.sh build memcached)
  server=('' "$program" --listen 127.0.0.1)
  ((EUID)) || server+=(--user root)
  MEMCACHED_PORT_FILENAME="$room/port" "${server[@]:1}" --port -1 &
  server[0]=$!
  trap 'kill -KILL "${server[0]}"; wait "${server[0]}" 2>/dev/null || true' RETURN
  until [[ -s $room/port ]]; do sleep 0.1; done
  port=$(sed -n 's/^TCP INET: //p' "$room/port")
  while read -r line; do
    case $line in
      'fault stop') kill -STOP "${server[0]}" ;;
      'fault cont') kill -CONT "${server[0]}" ;;
      'fault kill')
        kill -KILL "${server[0]}"
        wait "${server[0]}" 2>/dev/null || true
        ;;
      'fault start')
        "${server[@]:1}" --port "$port" &
        server[0]=$!
        ;;
    esac
  done < <("$k6" run --quiet --log-format raw -e RESULTS="$room/inside" -e MEMCACHED_URL="127.0.0.1:$port" scripts/pictures/inside.js 2>&1)
  scripts/screenshot.sh "$room/inside/inside.html" .github/inside.png 640,880 inside
}

beside() {
  local target
  for target in memcached redis; do
    sweep "$target" -e TARGET=$target -e CLIENTS=1,8,64 -e DURATION=1s -e REPEATS=5
  done
  "$k6" x sweep report "$room"/memcached/cache-sweep-memcached.json "$room"/redis/cache-sweep-redis.json --format html -o "$room/beside.html"
  SCALE=0.75 scripts/screenshot.sh "$room/beside.html" .github/beside.png 1200,1330
}

# One server, and pipelines of two lengths: the change is faster.
duet() {
  sweep duet -e TARGET=memcached -e BASE=PIPELINE=1 -e PIPELINE=2 -e CLIENTS=1,8,64 -e MIX=get:1 -e DURATION=5s
  SCALE=0.8 scripts/screenshot.sh "$room/duet/cache-sweep-memcached-duet.html" .github/duet.png 1200,1000
}

dashboard() {
  XK6_DASHBOARD_CONFIG=scripts/grafana/k6-dashboard.json K6_WEB_DASHBOARD=true K6_WEB_DASHBOARD_PERIOD=1s K6_WEB_DASHBOARD_HOST=127.0.0.1 \
    K6_WEB_DASHBOARD_PORT=0 K6_WEB_DASHBOARD_EXPORT="$room/dashboard.html" sweep live -e TARGET=memcached -e CLIENTS=1,8,64 -e DURATION=5s \
    -e MAX_DURATION=1m
  SCALE=0.8 scripts/screenshot.sh "$room/dashboard.html" scripts/grafana/k6-dashboard.png 1100,1400
}

(($#)) || set -- inside beside duet dashboard
for picture; do
  case $picture in
    inside | beside | duet | dashboard) "$picture" ;;
    *) echo "pictures.sh: there is no picture $picture: inside, beside, duet, dashboard" >&2; exit 2 ;;
  esac
done
