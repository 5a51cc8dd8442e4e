#!/usr/bin/env bash
# scripts/docker/compose.yaml with podman-compose: servers in a separate network, found by name, and
# k6, which sweeps two of them and streams to InfluxDB.
# shellcheck source=scripts/shipped/lib.sh disable=SC2016   # Markdown
. "$(dirname "${BASH_SOURCE[0]}")/../lib.sh"
# shellcheck source=scripts/shipped/containers.sh
. scripts/shipped/containers.sh
need podman-compose podman-compose

make_bases
has xk6-sweep || build_k6 . xk6-sweep
nats=$(scripts/servers.sh build nats | tail -n 1)

# As in the published images: an argument that begins with a dash is for the server.
cat >"$room/entrypoint" <<'END'
#!/bin/sh
case ${1:--} in -*) set -- "$SERVER" "$@" ;; esac
if [ "$SERVER" = influxd ] && [ -n "$INFLUXDB_DB" ]; then
  (until influx -execute "CREATE DATABASE \"$INFLUXDB_DB\"" 2>/dev/null; do sleep 0.2; done) &
fi
exec "$@"
END
chmod +x "$room/entrypoint"

# stand_in NAME FROM SERVER USER [PROGRAM] makes an image with the name in the compose file.
stand_in() {
  local container
  container=$(buildah from "$2")
  buildah copy -q "$container" "$room/entrypoint" /usr/local/bin/entrypoint >&2
  [[ -z ${5:-} ]] || buildah copy -q "$container" "$5" "/usr/local/bin/$3" >&2
  buildah config --env "SERVER=$3" --env "PATH=$search" --user "$4" --entrypoint '["/usr/local/bin/entrypoint"]' --cmd '' "$container"
  buildah commit -q --rm "$container" "$1" >&2
}
if ! has servers; then
  debian "$room/servers.tar" memcached redis-server redis-tools influxdb influxdb-client
  image servers "$room/servers.tar" --env "PATH=$search"
  rm "$room/servers.tar"
fi
stand_in memcached:1.6-alpine servers memcached memcache
stand_in redis:7-alpine servers redis-server redis
stand_in influxdb:1.8 servers influxd root
stand_in nats:2-alpine servers nats-server root "$nats"

compose() { podman-compose --podman-path "$podman" -p xk6-sweep -f scripts/docker/compose.yaml "$@"; }
down() { compose down -v >&2; buildah rmi --prune >&2; }
at_end+=(down)
servers=(memcached redis nats influxdb)
compose up -d "${servers[@]}" >&2

# container SERVICE prints its name, which podman-compose derives from the project's.
container() { printf 'xk6-sweep_%s_1' "$1"; }
heading
row 'engine' "podman-compose $(podman-compose --version 2>/dev/null | sed -n 's/^podman-composer* version[: ]*//p' | head -n 1), $(podman --version), netavark with DNS by names"
row 'stand-ins' "memcached, redis, influxdb: Debian's $(podman run --rm --entrypoint dpkg-query servers -W -f '${Package} ${Version}, ' memcached redis-server influxdb)nats: $(podman run --rm nats:2-alpine --version)"
row 'not started' 'grafana: no registry here has it'
for service in "${servers[@]}"; do
  state=$(podman inspect "$(container "$service")" --format '{{.State.Status}}')
  [[ $state == running ]] || { podman logs "$(container "$service")" >&2; die "$service is $state"; }
done
row "\`up -d ${servers[*]}\`" 'all run'
# Commands as in the file, because podman-compose 1.0.3 joins the words of a command.
for service in redis influxdb; do
  list=$(sed -n "/^  $service:/,/^  [a-z]/s/^      test: \[CMD, \(.*\)\]$/\1/p" scripts/docker/compose.yaml)
  [[ -n $list ]] || die "$service has no health check"
  mapfile -t check <<<"${list//, /$'\n'}"
  for ((tries = 0; tries < 60; tries++)); do
    ! podman exec "$(container "$service")" "${check[@]}" >&2 || break
    sleep 0.5
  done
  ((tries < 60)) || die "the health check of $service fails"
done
row 'health checks of redis and influxdb' 'pass'
compose run --rm -T k6 run --quiet scenarios/cache-sweep.js -e TARGET=memcached,redis -e CLIENTS=1,8 -e DURATION=2s -o sweep-influxdb >&2
streamed=$(podman exec "$(container influxdb)" influx -database sweep -format csv -execute 'SELECT count(ops_per_second) FROM sweep' | tail -n 1)
[[ $streamed == sweep,* ]] || die "InfluxDB has nothing of the sweep: $streamed"
row '`run --rm k6 run scenarios/cache-sweep.js -e TARGET=memcached,redis -o sweep-influxdb`' "passes; $(cut -d , -f 3 <<<"$streamed") points are in InfluxDB"
kept=$(podman run --rm -v xk6-sweep_results:/kept:ro --entrypoint ls xk6-sweep /kept | tr '\n' ' ')
[[ $kept == *cache-sweep-memcached.json*cache-sweep-redis.json* ]] || die "the volume results has $kept"
row 'volume `results`' 'has the reports afterwards'
compose run --rm -T k6 run --quiet scenarios/natsjs-kv.js -e ITERATIONS=200 >&2
row '`run --rm k6 run scenarios/natsjs-kv.js`' 'passes'
signature compose
