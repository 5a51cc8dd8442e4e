# shellcheck shell=bash disable=SC2034,SC2154
# PostgreSQL, with its own settings but for the number of connections. What these names mean:
# scripts/servers/README.md.

server_address=POSTGRES_URL

# Debian does not put it into PATH where it is installed.
server_build() {
  local PATH=$PATH folder
  for folder in /usr/lib/postgresql/*/bin; do
    [[ ! -x $folder/initdb ]] || PATH=$PATH:$folder
  done
  debian_program postgresql-15 usr/lib/postgresql/15/bin/postgres
}

# An empty database is 40 MB, its first log 16 MB.
server_space=200

# Of the two programs the first makes the data folder that the second needs.
server_command() {
  local programs
  [[ -z ${POSTGRES_CONNECTIONS:-} ]] || positive_number POSTGRES_CONNECTIONS
  programs=$(dirname "$(readlink -f "$binary")")
  printf 'opensesame\n' >"$home/password"
  not_as_root
  command=("${as_nobody[@]}" env LC_ALL=C LD_LIBRARY_PATH="$libraries" bash -c "$postgres_run" postgres.sh "$programs" "$home" "$port" "${POSTGRES_CONNECTIONS:-600}")
}

# not_as_root: sets `as_nobody`, the start of a command that is not to be run as root, which
# PostgreSQL refuses. To itself it is nobody then, but its files, and what it may read, are still
# root's.
not_as_root() {
  as_nobody=()
  ((EUID == 0)) || return 0
  as_nobody=(unshare --user --map-user=65534 --map-group=65534)
  "${as_nobody[@]}" true 2>/dev/null || die "PostgreSQL does not run as root, and unshare --user does not work here: start it as another user"
}

# To PostgreSQL TERM means to wait until all clients have left: it gets INT instead, also when this
# shell is killed. Its socket and its shared memory, which lie outside its folder by default, are
# left out or moved inside.
# shellcheck disable=SC2016   # it is for the shell that runs it
postgres_run='
  programs=$1 home=$2 port=$3 connections=$4 guard=$(type -P setpriv) stopped=""
  trap "stopped=yes; kill -INT \$! 2>/dev/null" TERM
  "$programs/initdb" --pgdata "$home/data" --username postgres --pwfile "$home/password" --auth scram-sha-256 \
    --encoding UTF8 --no-locale --no-sync || exit
  [[ -z $stopped ]] || exit
  ${guard:+"$guard" --pdeathsig INT} "$programs/postgres" -D "$home/data" -p "$port" -c listen_addresses=127.0.0.1 \
    -c unix_socket_directories= -c dynamic_shared_memory_type=mmap -c max_connections="$connections" &
  until wait "$!" || [[ -z $stopped ]]; do stopped=""; done
'

server_logs() { printf '%s\n' "$home/stdout"; }

# What it says first: another PostgreSQL could answer on a port that ours has just lost to it. N is
# the answer to a client that asks for TLS.
server_ready() {
  grep -q 'database system is ready to accept connections' "$home/stdout" 2>/dev/null && (
    exec 3<>"/dev/tcp/127.0.0.1/$port"
    printf '\0\0\0\10\4\322\26\57' >&3
    read -r -t 1 -n 1 -u 3 answer
    [[ $answer == N ]]
  ) 2>/dev/null
}

# What it says, and then ends, when it cannot bind.
server_lost_port() { grep -q 'could not bind.*Address already in use' "$home/stdout"; }

server_env() { printf 'POSTGRES_URL=postgres://postgres:opensesame@127.0.0.1:%s/postgres?sslmode=disable\n' "$port"; }

server_clean() { :; }
