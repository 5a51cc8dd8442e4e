# shellcheck shell=bash disable=SC2013,SC2034,SC2154
#
# Redis, in memory only: one server, or a cluster of three primaries with REDIS_CLUSTER=3. With
# REDIS_CLUSTER=6 each has a replica, and the cluster goes on if one of its servers ends.
# scripts/servers/README.md describes these names and the settings.

server_address=REDIS_URL

server_build() { debian_program redis-server usr/bin/redis-server; }

# Its folder has only its output.
server_space=10

# Started through a link in its folder: Redis overwrites its command line, and keeps only the name
# of the program.
server_command() {
  local setting
  for setting in REDIS_MEMORY REDIS_CONNECTIONS; do
    [[ -z ${!setting:-} ]] || positive_number "$setting"
  done
  local settings=(--bind 127.0.0.1 --dir "$home" --save '' --appendonly no --maxclients "${REDIS_CONNECTIONS:-10000}")
  [[ -z ${REDIS_MEMORY:-} ]] || settings+=(--maxmemory "${REDIS_MEMORY}mb" --maxmemory-policy allkeys-lru)
  case ${REDIS_CLUSTER:-1} in
    1) printf '%s\n' "$port" >"$home/ports" ;;
    3 | 6) cluster_ports "$REDIS_CLUSTER" >"$home/ports" ;;
    *) die "REDIS_CLUSTER is '$REDIS_CLUSTER': it must be 1, 3 or 6" ;;
  esac
  ln -s "$binary" "$home/redis-server"
  command=(env LD_LIBRARY_PATH="$libraries")
  if [[ ${REDIS_CLUSTER:-1} == 1 ]]; then
    command+=("$home/redis-server" --port "$port" "${settings[@]}")
  else
    redis_nodes "${settings[@]}"
    [[ $REDIS_CLUSTER == 3 ]] || command+=(CLUSTER_WAIT=)
    command+=(bash -c "$cluster_run" redis.sh "$home" "$home/redis-server")
  fi
}

# redis_nodes --NAME VALUE... writes the settings of each server of a cluster, and its nodes file:
# the members, and which of the 16384 slots each has.
redis_nodes() {
  local mine mine_bus each bus flags of slots i
  local -a ids=()
  while read -r mine mine_bus; do
    printf '%s "%s"\n' "${@#--}" port "$mine" cluster-enabled yes cluster-port "$mine_bus" cluster-config-file "$mine.nodes" \
      cluster-node-timeout 5000 >"$home/$mine.conf"
    i=0
    while read -r each bus; do
      ids[i]=$(printf '%040x' "$each")
      flags=master of=- slots=$((16384 * i / 3))-$((16384 * (i + 1) / 3 - 1))
      ((i < 3)) || { flags=slave of=${ids[i - 3]} slots=''; }
      [[ $each != "$mine" ]] || flags=myself,$flags
      printf '%s 127.0.0.1:%s@%s %s %s 0 0 %s connected %s\n' "${ids[i]}" "$each" "$bus" "$flags" "$of" "$((i % 3 + 1))" "$slots"
      i=$((i + 1))
    done <"$home/ports" >"$home/$mine.nodes"
    printf 'vars currentEpoch 3 lastVoteEpoch 0\n' >>"$home/$mine.nodes"
  done <"$home/ports"
}

server_logs() { printf '%s\n' "$home/stdout"; }

# Checks their logs first, because another Redis could answer on a port that ours just lost. A
# cluster accepts commands two seconds later.
server_ready() {
  [[ $(grep -c 'Ready to accept connections' "$home/stdout" 2>/dev/null) == "$(wc -l <"$home/ports")" ]] || return 1
  local each
  for each in $(cut -d ' ' -f 1 "$home/ports"); do
    redis_answers "$each" || return 1
  done
}

# redis_answers PORT reports whether it accepts commands on keys. A cluster does so only when all
# slots are served; a server without the key's slot redirects.
redis_answers() (
  exec 2>/dev/null
  exec 3<>"/dev/tcp/127.0.0.1/$1" || exit 1
  printf 'EXISTS x\r\n' >&3
  read -r -t 1 -u 3 answer
  [[ $answer == :0* || $answer == -MOVED* ]]
)

# Its message, before it exits, if it cannot bind.
server_lost_port() { grep -q 'listening socket.*Address already in use' "$home/stdout"; }

server_env() {
  local urls='' each
  for each in $(cut -d ' ' -f 1 "$home/ports"); do urls="$urls,redis://127.0.0.1:$each"; done
  printf 'REDIS_URL=%s\n' "${urls#,}"
  [[ ! -e $home/pids ]] || printf 'REDIS_PIDS=%s\n' "$(paste -s -d , "$home/pids")"
}

server_clean() { :; }
