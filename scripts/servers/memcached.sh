# shellcheck shell=bash disable=SC2034,SC2154
#
# memcached, in memory only. scripts/servers/README.md describes these names and the settings.

server_address=MEMCACHED_URL

server_build() { debian_program memcached usr/bin/memcached; }

# Its folder has only its output.
server_space=10

# Started through a link in its folder, so that its command line has the folder's name.
server_command() {
  local setting
  for setting in MEMCACHED_MEMORY MEMCACHED_ITEM MEMCACHED_CONNECTIONS MEMCACHED_THREADS; do
    [[ -z ${!setting:-} ]] || positive_number "$setting"
  done
  ln -s "$binary" "$home/memcached"
  command=(env LD_LIBRARY_PATH="$libraries" "$home/memcached" --user "$(id -un)" --listen 127.0.0.1 --port "$port" --udp-port 0
    --memory-limit "${MEMCACHED_MEMORY:-64}" --max-item-size "${MEMCACHED_ITEM:-1}m"
    --conn-limit "${MEMCACHED_CONNECTIONS:-1024}" --threads "${MEMCACHED_THREADS:-4}")
}

server_logs() { printf '%s\n' "$home/stdout"; }

# Compares the process id that it reports, because another memcached could answer on a port that
# ours just lost.
server_ready() {
  (
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf 'stats\r\n' >&3
    read -r -t 1 -u 3 answer
    [[ $answer == "STAT pid $pid"$'\r' ]]
  ) 2>/dev/null
}

# Its message, before it exits, if it cannot bind.
server_lost_port() { grep -q 'failed to listen.*Address already in use' "$home/stdout"; }

server_env() { printf 'MEMCACHED_URL=127.0.0.1:%s\n' "$port"; }

server_clean() { :; }
