# shellcheck shell=bash disable=SC2034,SC2154
# Redis, in memory only: it writes nothing to the disk. What these names mean, and the settings:
# scripts/servers/README.md.

server_address=REDIS_URL

server_build() { debian_program redis-server usr/bin/redis-server; }

# Its own folder stays empty but for what it says.
server_space=10

# Started by a link in its folder: Redis writes over its command line, and keeps of it only the name
# it was called by.
server_command() {
  local setting
  for setting in REDIS_MEMORY REDIS_CONNECTIONS; do
    [[ -z ${!setting:-} ]] || positive_number "$setting"
  done
  ln -s "$binary" "$home/redis-server"
  command=(env LD_LIBRARY_PATH="$libraries" "$home/redis-server" --bind 127.0.0.1 --port "$port" --dir "$home"
    --save '' --appendonly no --maxclients "${REDIS_CONNECTIONS:-10000}")
  [[ -z ${REDIS_MEMORY:-} ]] || command+=(--maxmemory "${REDIS_MEMORY}mb" --maxmemory-policy allkeys-lru)
}

server_logs() { printf '%s\n' "$home/stdout"; }

# What it says first: another Redis could answer on a port that ours has just lost to it.
server_ready() {
  grep -q 'Ready to accept connections' "$home/stdout" 2>/dev/null && (
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'PING\r\n' >&3
    read -r -t 1 -n 5 -u 3 answer
    [[ $answer == +PONG ]]
  ) 2>/dev/null
}

# What it says, and then ends, when it cannot bind.
server_lost_port() { grep -q 'listening socket.*Address already in use' "$home/stdout"; }

server_env() { printf 'REDIS_URL=redis://127.0.0.1:%s\n' "$port"; }

server_clean() { :; }
