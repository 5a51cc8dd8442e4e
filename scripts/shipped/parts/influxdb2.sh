#!/usr/bin/env bash
# The output sweep-influxdb and the dashboard's queries with a real InfluxDB 2, whose program is
# INFLUXD2. scripts/shipped/README.md describes how to build it.
# shellcheck source=scripts/shipped/lib.sh disable=SC2016   # Markdown
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"

need curl curl
need python3 python3
[[ -x ${INFLUXD2:-} ]] || die "INFLUXD2 must name an influxd of InfluxDB 2: scripts/shipped/README.md says how to build one"
[[ -n ${MEMCACHED_URL:-} ]] || exec scripts/servers.sh with memcached -- "$0"

export K6_SWEEP_INFLUXDB_TOKEN=t0ken-of-this-run
port=$((20000 + RANDOM % 10000))
server=http://127.0.0.1:$port
k6=$PWD/bin/k6
[[ -x $k6 ]] || make -s bin/k6 >&2
pid=''

# start runs the server and waits until it is ready; stop SIGNAL stops it.
start() {
  "$INFLUXD2" --bolt-path "$room/bolt" --engine-path "$room/engine" --sqlite-path "$room/sqlite" --http-bind-address "127.0.0.1:$port" \
    --reporting-disabled --log-level error >>"$room/influxd.log" 2>&1 &
  pid=$!
  disown
  for ((tries = 0; tries < 300; tries++)); do
    ! curl -sf "$server/health" >/dev/null || return 0
    sleep 0.2
  done
  die "influxd does not answer"
}
stop() {
  [[ -z $pid ]] || kill "-${1:-TERM}" "$pid" 2>/dev/null || true
}
at_end+=(stop)

api() { curl -sf -H "Authorization: Token $K6_SWEEP_INFLUXDB_TOKEN" -H 'Content-Type: application/json' "$@"; }
json() { python3 -c "import json,sys; d = json.load(sys.stdin); print($1)"; }

# sweep NAME DURATION BUCKET runs a sweep as the instance NAME; its log is $room/NAME.log.
sweep() {
  "$k6" run -q --no-color -e TARGET=memcached -e MIX=get:1 -e KEYS=1000 -e PAUSE=0s -e WARMUP=500ms -e QUIET=0s -e CLIENTS=1,4 -e "DURATION=$2" \
    -e "RESULTS=$room/$1" --tag "instance=$1" -o "sweep-influxdb=$server/$3?organization=sweep&flushTimeout=5s" scenarios/cache-sweep.js >"$room/$1.log" 2>&1 ||
    die "k6 ends with $?: $(cat "$room/$1.log")"
}
# summary NAME prints the output's last line without its beginning, stored NAME the operations in
# the bucket, reported NAME those in the report.
summary() { sed -n 's/\\"//g; s/.*InfluxDB 2 at [^,]*, bucket [^:]*: \([^"]*points written[^"]*\)".*/\1/p' "$room/$1.log" | tail -n 1; }
stored() {
  api -G "$server/query" --data-urlencode db=runs --data-urlencode "q=select sum(ops) from sweep where instance='$1' and phase='measure'" |
    json 'd["results"][0]["series"][0]["values"][0][1]'
}
reported() { json 'sum(s["ops"] for s in d["steps"])' <"$room/$1/cache-sweep-memcached.json"; }
# same NAME requires that no data of the instance is missing or duplicated.
same() { [[ $(stored "$1") == "$(reported "$1")" ]] || die "$1: $(stored "$1") operations are stored, and $(reported "$1") are reported"; }

start
curl -sf "$server/api/v2/setup" -H 'Content-Type: application/json' -d '{"username":"admin","password":"sesame-Open-1","org":"sweep","bucket":"runs",
  "token":"'"$K6_SWEEP_INFLUXDB_TOKEN"'"}' >"$room/setup"
bucket=$(json 'd["bucket"]["id"]' <"$room/setup")
api "$server/api/v2/dbrps" -d '{"bucketID":"'"$bucket"'","database":"runs","retention_policy":"autogen","default":true,"org":"sweep"}' >&2

heading
sweep one 4s runs
same one
row 'a sweep with `-o sweep-influxdb=…/runs?organization=sweep`' "$(summary one); $(stored one) operations stored, as reported"

sweep base 4s runs
same base
# The dashboard's queries, one per line, with values for Grafana's variables.
queries() {
  python3 -c 'import json, sys
d = json.load(sys.stdin)
all = [t["query"] for p in d["panels"] for t in p.get("targets", [])] + [v["query"] for v in d["templating"]["list"] if v["type"] == "query"]
for query in all:
  for name, value in {"$timeFilter": "time > now() - 1h", "$__interval_ms": "1000", "$__interval": "1s", "${scenario:regex}": "cache-sweep",
      "${instance:regex}": "one", "${baseline:regex}": "base", "${op:regex}": ".+", "${clients:regex}": ".+"}.items():
    query = query.replace(name, value)
  print(query)' <scripts/grafana/dashboards/influxdb.json
}
asked=0
while read -r query; do
  api -G "$server/query" --data-urlencode db=runs --data-urlencode "q=$query" | grep -q '"series"' || die "this finds nothing: $query"
  asked=$((asked + 1))
done < <(queries)
row 'the queries of the dashboard, InfluxQL at `/query` of a bucket with a DBRP mapping' "all $asked find something"

token=$K6_SWEEP_INFLUXDB_TOKEN
K6_SWEEP_INFLUXDB_TOKEN=s3cret sweep wrong 1s runs
! grep -q s3cret "$room/wrong.log" || die "the token is in the log"
export K6_SWEEP_INFLUXDB_TOKEN=$token
row 'a wrong token' "$(summary wrong); the token is not in the log"
sweep missing 1s nope
row 'a bucket that is not there' "$(summary missing)"

sweep paused 8s runs &
sleep 4
kill -STOP "$pid"
sleep 3
kill -CONT "$pid"
wait $!
same paused
row 'the server stops for 3 s amid the run' "$(summary paused); the operations stored are those reported"

sweep killed 8s runs &
job=$!
sleep 4
stop KILL
sleep 2
start
wait "$job"
same killed
row 'the server is killed, and runs again 2 s later' "$(summary killed); the operations stored are those reported"

sweep gone 4s runs &
job=$!
sleep 4
stop
wait "$job"
grep -q DROPPED "$room/gone.log" || die "what was lost is not said: $(cat "$room/gone.log")"
row 'the server ends for good' "$(summary gone | tr '|' '/')"
signature influxdb2 "InfluxDB $(go version -m "$INFLUXD2" | sed -n 's|.*github.com/influxdata/influxdb/v2[[:space:]]*\(v[^[:space:]]*\).*|\1|p' | head -n 1)"
