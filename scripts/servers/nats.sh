# shellcheck shell=bash disable=SC2013,SC2016,SC2034,SC2154
#
# NATS with JetStream: one server, or a cluster of three with NATS_CLUSTER=3.
# scripts/servers/README.md describes these names and the settings.

server_address=NATS_URL

server_build() { build_go_tool nats-server tools github.com/nats-io/nats-server/v2 . 200; }

# Streams are on disk; the large values of the scenarios have 1 MiB each.
server_space=500

server_command() {
  [[ -z ${NATS_CONNECTIONS:-} ]] || positive_number NATS_CONNECTIONS
  case ${NATS_CLUSTER:-1} in
    1) printf '%s\n' "$port" >"$home/ports" ;;
    3) cluster_ports 3 >"$home/ports" ;;
    *) die "NATS_CLUSTER is '$NATS_CLUSTER': it must be 1 or 3" ;;
  esac
  local routes='' each route
  while read -r each route; do routes="$routes${routes:+, }\"nats-route://127.0.0.1:$route\""; done <"$home/ports"
  while read -r each route; do
    nats_settings "$each" "$route" "$routes" >"$home/$each.conf"
    # Deleting a server's last stream removes the parent folder, even while another stream is being
    # created ("error creating store for stream"). A folder in it prevents that.
    mkdir -p "$home/store-$each/jetstream/\$G/streams/kept"
  done <"$home/ports"
  command=("$binary" --config "$home/$port.conf")
  [[ ${NATS_CLUSTER:-1} == 1 ]] || command=(bash -c "$cluster_run" nats.sh "$home" "$binary" --config)
}

# nats_settings PORT ROUTE ROUTES prints a server's settings; the last two only in a cluster.
nats_settings() {
  cat <<EOF
server_name: "$(nats_name "$1")"
listen: "127.0.0.1:$1"
max_payload: 8388608
max_connections: ${NATS_CONNECTIONS:-65536}
jetstream { store_dir: "$home/store-$1" }
EOF
  [[ -z $2 ]] || cat <<EOF
cluster { name: "${home##*.}", listen: "127.0.0.1:$2", routes: [$3] }
EOF
}

nats_name() { printf '%s-%s' "${home##*.}" "$1"; }

server_logs() { printf '%s\n' "$home/stdout"; }

# Each server reports the state of JetStream, which needs a leader in a cluster.
server_ready() {
  local each
  for each in $(cut -d ' ' -f 1 "$home/ports"); do
    nats_answers "$each" || return 1
  done
}

# nats_answers PORT reports whether JetStream works, not only the server. It checks the server's
# name, because another NATS could answer on a port that ours just lost.
nats_answers() (
  exec 2>/dev/null
  exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
  read -r -t 1 -u 3 answer
  [[ $answer == *"\"server_name\":\"$(nats_name "$1")\""* ]] || exit 1
  printf 'CONNECT {"verbose":false,"pedantic":false}\r\nSUB answer 1\r\nPUB $JS.API.INFO answer 0\r\n\r\n' >&3
  while read -r -t 1 -u 3 answer; do
    [[ $answer != '{'*'"memory"'* ]] || exit 0
    [[ $answer != '{'* ]] || exit 1
  done
  exit 1
)

# Its message, before it exits, if it cannot bind.
server_lost_port() { grep -q 'bind: address already in use' "$home/stdout"; }

server_env() {
  local urls='' each
  for each in $(cut -d ' ' -f 1 "$home/ports"); do urls="$urls,nats://127.0.0.1:$each"; done
  printf 'NATS_URL=%s\n' "${urls#,}"
  [[ ! -e $home/pids ]] || printf 'NATS_PIDS=%s\n' "$(paste -s -d , "$home/pids")"
}

server_clean() { :; }
