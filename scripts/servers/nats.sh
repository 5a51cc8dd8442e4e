# shellcheck shell=bash disable=SC2013,SC2016,SC2034,SC2154
# NATS with JetStream: one server, or with NATS_CLUSTER=3 a cluster of three. What these names mean,
# and the settings: scripts/servers/README.md.

server_address=NATS_URL

server_build() { build_go_tool nats-server github.com/nats-io/nats-server/v2 . 200; }

# Streams lie on the disk; the large values of the scenarios are 1 MiB each.
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
    # Deleting a server's last stream removes the folder of all, also from under a stream that is
    # made at that moment ("error creating store for stream"): something in it keeps it.
    mkdir -p "$home/store-$each/jetstream/\$G/streams/kept"
  done <"$home/ports"
  command=("$binary" --config "$home/$port.conf")
  [[ ${NATS_CLUSTER:-1} == 1 ]] || command=(bash -c "$cluster_run" nats.sh "$home" "$binary" --config)
}

# nats_settings PORT ROUTE ROUTES: prints a server's settings; the last two only in a cluster.
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

# Each server says what JetStream holds, which in a cluster takes a leader.
server_ready() {
  local each
  for each in $(cut -d ' ' -f 1 "$home/ports"); do
    nats_answers "$each" || return 1
  done
}

# nats_answers PORT: whether JetStream does, and not only the server, which is known by its name:
# another NATS could answer on a port that ours has just lost to it.
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

# What it says, and then ends, when it cannot bind.
server_lost_port() { grep -q 'bind: address already in use' "$home/stdout"; }

server_env() {
  local urls='' each
  for each in $(cut -d ' ' -f 1 "$home/ports"); do urls="$urls,nats://127.0.0.1:$each"; done
  printf 'NATS_URL=%s\n' "${urls#,}"
  [[ ! -e $home/pids ]] || printf 'NATS_PIDS=%s\n' "$(paste -s -d , "$home/pids")"
}

server_clean() { :; }
